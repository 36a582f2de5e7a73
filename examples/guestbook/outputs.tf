output "app_url" {
  description = "Where the guestbook is."
  value       = hosting_app.this.url
}

output "app_status" {
  description = "Status of the app."
  value       = hosting_app.this.status
}

output "app_build_id" {
  description = "Build that is deployed."
  value       = hosting_app.this.build_id
}

output "app_commit" {
  description = "Commit that is deployed."
  value       = hosting_app.this.commit
}

output "instance_id" {
  description = "The instance."
  value       = hosting_instance.this.id
}

output "instance_status" {
  description = "Status of the instance."
  value       = hosting_instance.this.status
}

output "host" {
  description = "Host of the instance's ports."
  value       = hosting_instance.this.host
}

output "auth_url" {
  description = "Address of the auth engine, which ends in /auth/v1."
  value       = hosting_instance.this.auth_url
}

output "auth_anon_key" {
  description = "The auth engine's browser-safe key."
  value       = hosting_instance.this.auth_anon_key
}

output "console_mode" {
  description = "Mode of the browser's SQL console."
  value       = hosting_console_mode.this.mode
}

output "allowed_cidrs" {
  description = "Addresses that may connect to the instance's ports."
  value       = hosting_allowlist.this.cidrs
}

output "webhook_endpoint_id" {
  description = "The webhook endpoint, if there is one."
  value       = one(hosting_webhook_endpoint.this[*].id)
}

output "webhook_secret" {
  description = "Key that signs each event, if there is a webhook endpoint. Read it with `terraform output -raw webhook_secret`."
  value       = one(hosting_webhook_endpoint.this[*].secret)
  sensitive   = true
}
