resource "hosting_webhook_endpoint" "example" {
  url = "https://hooks.example.com/hosting"
}

# With a secret of one's own that is never kept in the state.
resource "hosting_webhook_endpoint" "write_only" {
  url               = "https://hooks.example.com/other"
  secret_wo         = var.webhook_secret
  secret_wo_version = 1
}

variable "webhook_secret" {
  type      = string
  ephemeral = true
}
