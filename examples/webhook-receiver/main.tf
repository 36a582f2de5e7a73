# The endpoint at which the receiver of this folder hears of every event of the account.
terraform {
  required_version = ">= 1.11"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "~> 0.1"
    }
  }
}

variable "receiver_url" {
  description = "Where the receiver is reached, with https."
  type        = string

  validation {
    condition     = can(regex("^https://[^/[:space:]]+/hooks$", var.receiver_url))
    error_message = "The receiver is reached by https, and listens at /hooks."
  }
}

# The receiver's WEBHOOK_SECRET. Neither the state nor a plan keeps it.
variable "webhook_secret" {
  description = "The key that signs each event, at least 16 characters."
  type        = string
  sensitive   = true
  ephemeral   = true
}

variable "webhook_secret_version" {
  description = "Raise it to send another secret. The receiver takes the new one first."
  type        = number
  default     = 1
}

resource "hosting_webhook_endpoint" "receiver" {
  url               = var.receiver_url
  secret_wo         = var.webhook_secret
  secret_wo_version = var.webhook_secret_version

  # The service disables an endpoint after 20 failed deliveries in a row. That shows as a
  # change, and an apply enables it again.
  enabled = true
}

output "endpoint_id" {
  description = "The endpoint."
  value       = hosting_webhook_endpoint.receiver.id
}
