variable "webhook_secret" {
  description = "The secret that the receiver knows."
  type        = string
  ephemeral   = true
}

# The secret is kept out of the state. After you change it, raise the version to send it.
resource "hosting_webhook_endpoint" "receiver" {
  url               = "https://hooks.example.com/receiver"
  secret_wo         = var.webhook_secret
  secret_wo_version = 1
}
