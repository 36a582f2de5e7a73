# The service makes a secret, which is kept in the state, for the receiver.
resource "hosting_webhook_endpoint" "receiver" {
  url     = "https://hooks.example.com/receiver"
  enabled = true
}

output "webhook_secret" {
  value     = hosting_webhook_endpoint.receiver.secret
  sensitive = true
}
