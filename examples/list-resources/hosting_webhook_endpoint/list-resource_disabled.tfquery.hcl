# The endpoints that do not receive events.
list "hosting_webhook_endpoint" "disabled" {
  provider         = hosting
  include_resource = true

  config {
    enabled = false
  }
}
