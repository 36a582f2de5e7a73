variable "webhook_secret" {
  description = "The secret that the receiver knows."
  type        = string
  ephemeral   = true
}

# Kept out of the state. Change the version to send a changed secret.
resource "hosting_webhook_endpoint" "receiver" {
  url               = "https://hooks.example.com/receiver"
  secret_wo         = var.webhook_secret
  secret_wo_version = 1
}
