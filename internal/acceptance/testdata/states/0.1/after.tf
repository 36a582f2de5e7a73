# The same with each resource changed in place.
terraform {
  required_providers {
    hosting = { source = "instance-hosting/hosting" }
  }
}

provider "hosting" {
  default_tags = ["estate"]
}

resource "hosting_instance" "test" {
  name                = "store"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = { memory_mb = 640 }, redis = {}, apps = {}, auth = {} }
  tags                = ["store"]
  deletion_protection = false
}

resource "hosting_app" "test" {
  instance_id           = hosting_instance.test.id
  name                  = "guestbook"
  repo                  = "octo/guestbook"
  branch                = "release"
  port                  = 8080
  health_path           = "/"
  public                = true
  env                   = { LANGUAGE = "de" }
  secret_env_wo         = { TOKEN = "another-secret" }
  secret_env_wo_version = 2
  redeploy_triggers     = { release = "2" }
  deletion_protection   = false
}

resource "hosting_allowlist" "test" {
  instance_id = hosting_instance.test.id
  cidrs       = ["198.51.100.7/32"]
}

resource "hosting_console_mode" "test" {
  instance_id = hosting_instance.test.id
  mode        = "off"
}

resource "hosting_auth_settings" "test" {
  instance_id = hosting_instance.test.id
  site_url    = "https://store.example"
}

resource "hosting_webhook_endpoint" "test" {
  url               = "https://hooks.example/second"
  enabled           = false
  secret_wo         = "another-webhook-secret"
  secret_wo_version = 2
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
}

resource "hosting_postgres_script" "test" {
  instance_id = hosting_console_mode.test.instance_id
  database    = hosting_postgres_database.test.name
  sql         = "CREATE TABLE IF NOT EXISTS u ()"
}

resource "hosting_account_profile" "test" {
  name    = "Ada"
  company = "Store Ltd"
}

resource "hosting_postgres_script" "secret" {
  instance_id    = hosting_postgres_script.test.instance_id
  sql_wo         = "INSERT INTO t VALUES ('a-secret')"
  sql_wo_version = 2
}
