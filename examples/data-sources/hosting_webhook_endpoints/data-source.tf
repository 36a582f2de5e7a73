data "hosting_webhook_endpoints" "disabled" {
  enabled = false
}
