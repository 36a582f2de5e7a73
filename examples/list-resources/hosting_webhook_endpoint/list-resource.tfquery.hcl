list "hosting_webhook_endpoint" "disabled" {
  provider         = hosting
  include_resource = true

  config {
    enabled = false
  }
}
