list "hosting_webhook_endpoint" "all" {
  provider         = hosting
  include_resource = true
}
