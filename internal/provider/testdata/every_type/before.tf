# One of every managed type, as it is first applied.
terraform {
  required_providers {
    hosting = { source = "instance-hosting/hosting" }
  }
}

resource "hosting_instance" "test" {
  name    = "test"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = {}, apps = {}, auth = {} }
}

resource "hosting_app" "test" {
  instance_id = hosting_instance.test.id
  name        = "guestbook"
  repo        = "octo/guestbook"
}

resource "hosting_allowlist" "test" {
  instance_id = hosting_instance.test.id
  cidrs       = ["203.0.113.0/24"]
}

resource "hosting_console_mode" "test" {
  instance_id = hosting_instance.test.id
  mode        = "ro"
}

resource "hosting_auth_settings" "test" {
  instance_id = hosting_instance.test.id
  site_url    = "https://app.example"
}

resource "hosting_webhook_endpoint" "test" {
  url = "https://hooks.example/first"
}

resource "hosting_postgres_database" "test" {
  instance_id = hosting_instance.test.id
  name        = "orders"
}

resource "hosting_postgres_extension" "test" {
  instance_id = hosting_instance.test.id
  database    = hosting_postgres_database.test.name
  name        = "pgcrypto"
}

# After the console's mode, so that the two do not take turns at it.
resource "hosting_postgres_script" "test" {
  instance_id = hosting_console_mode.test.instance_id
  sql         = "one"
}

resource "hosting_account_profile" "test" {
  company = "Before Ltd"
}
