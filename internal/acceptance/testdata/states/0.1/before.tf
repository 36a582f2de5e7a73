# The configuration whose states are kept beside it: one of every managed type, with
# most of what can be set.
terraform {
  required_providers {
    hosting = { source = "instance-hosting/hosting" }
  }
}

provider "hosting" {
  default_tags = ["house"]
}

resource "hosting_instance" "test" {
  name    = "shop"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = { memory_mb = 512 }, redis = {}, apps = {}, auth = {} }
  tags    = ["shop", "production"]
  timeouts = {
    create = "40m"
  }
}

resource "hosting_app" "test" {
  instance_id           = hosting_instance.test.id
  name                  = "guestbook"
  repo                  = "octo/guestbook"
  branch                = "release"
  port                  = 8080
  health_path           = "/healthz"
  public                = true
  env                   = { LANGUAGE = "en", GREETING = "" }
  secret_env_wo         = { TOKEN = "a-secret" }
  secret_env_wo_version = 1
  links                 = ["auth"]
  memory_mb             = 512
  redeploy_triggers     = { release = "1" }
  deploy_commit         = "64fa505a8e05"
  timeouts              = { create = "50m" }
}

resource "hosting_allowlist" "test" {
  instance_id = hosting_instance.test.id
  cidrs       = ["203.0.113.0/24", "198.51.100.7", "2001:DB8::/32"]
  on_destroy  = "open"
}

resource "hosting_console_mode" "test" {
  instance_id = hosting_instance.test.id
  mode        = "ro"
}

resource "hosting_auth_settings" "test" {
  instance_id   = hosting_instance.test.id
  site_url      = "https://App.example"
  redirect_urls = ["https://app.example/**"]
}

resource "hosting_webhook_endpoint" "test" {
  url               = "https://Hooks.example/first"
  secret_wo         = "a-webhook-secret"
  secret_wo_version = 1
}

resource "hosting_postgres_database" "test" {
  instance_id = hosting_instance.test.id
  name        = "orders"
}

resource "hosting_postgres_extension" "test" {
  instance_id = hosting_instance.test.id
  database    = hosting_postgres_database.test.name
  name        = "pgcrypto"
  timeouts    = { delete = "5m" }
}

# After the console's mode, so that the two do not take turns at it.
resource "hosting_postgres_script" "test" {
  instance_id = hosting_console_mode.test.instance_id
  database    = hosting_postgres_database.test.name
  sql         = "CREATE TABLE IF NOT EXISTS t ()"
  destroy_sql = "DROP TABLE t"
}

resource "hosting_account_profile" "test" {
  name    = "Ada"
  company = "Shop Ltd"
  address = "1 Main Street"
  vat_id  = "DE123456789"
}

resource "hosting_postgres_script" "secret" {
  instance_id    = hosting_postgres_script.test.instance_id
  sql_wo         = "INSERT INTO t VALUES ('a-secret')"
  sql_wo_version = 1
}
