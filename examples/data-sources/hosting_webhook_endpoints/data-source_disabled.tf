# The endpoints that do not receive events, for example after 20 failed deliveries.
data "hosting_webhook_endpoints" "disabled" {
  enabled = false
}

output "disabled_endpoints" {
  value = { for e in data.hosting_webhook_endpoints.disabled.endpoints : e.url => e.consecutive_failures }
}
