output "url" {
  description = "Public URL of the app."
  value       = hosting_app.this.url
}

output "commit" {
  description = "Commit that is deployed."
  value       = hosting_app.this.commit
}

output "instance_id" {
  description = "The instance."
  value       = hosting_instance.this.id
}

output "host" {
  description = "Host of the instance's ports."
  value       = hosting_instance.this.host
}

output "ca_certificate" {
  description = "Certificate for sslmode=verify-full. It is not secret."
  value       = hosting_instance.this.ca_certificate
}

output "auth_url" {
  description = "Address of the auth engine."
  value       = hosting_instance.this.auth_url
}

output "webhook_secret" {
  description = "Key that signs each event, if there is a webhook endpoint."
  value       = one(hosting_webhook_endpoint.this[*].secret)
  sensitive   = true
}
