# The same with each resource changed in place.
terraform {
  required_providers {
    hosting = { source = "instance-hosting/hosting" }
  }
}

resource "hosting_instance" "test" {
  name                = "renamed"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {}, apps = {}, auth = {} }
  deletion_protection = false
}

resource "hosting_app" "test" {
  deletion_protection = false
  instance_id         = hosting_instance.test.id
  name                = "guestbook"
  repo                = "octo/guestbook"
  port                = 8080
}

resource "hosting_allowlist" "test" {
  instance_id = hosting_instance.test.id
  cidrs       = ["198.51.100.7"]
}

resource "hosting_console_mode" "test" {
  instance_id = hosting_instance.test.id
  mode        = "off"
}

resource "hosting_auth_settings" "test" {
  instance_id   = hosting_instance.test.id
  site_url      = "https://app.example"
  redirect_urls = ["https://app.example/**"]
}

resource "hosting_webhook_endpoint" "test" {
  url     = "https://hooks.example/second"
  enabled = false
}

resource "hosting_postgres_database" "test" {
  instance_id         = hosting_instance.test.id
  name                = "orders"
  deletion_protection = false
}

resource "hosting_postgres_extension" "test" {
  instance_id = hosting_instance.test.id
  database    = hosting_postgres_database.test.name
  name        = "pgcrypto"
  timeouts    = { delete = "7m" }
}

resource "hosting_postgres_script" "test" {
  instance_id = hosting_console_mode.test.instance_id
  sql         = "two"
}

resource "hosting_account_profile" "test" {
  company = "After Ltd"
}
