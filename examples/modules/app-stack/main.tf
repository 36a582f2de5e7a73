locals {
  # One entry for each extension of each database.
  extensions = merge([
    for database, names in var.databases : {
      for name in names : "${database}/${name}" => { database = database, name = name }
    }
  ]...)

  site_url = coalesce(var.site_url, hosting_app.this.url)
}

resource "hosting_instance" "this" {
  name                = var.name
  plan                = var.plan
  region              = var.region
  tags                = var.tags
  engines             = { postgres = {}, apps = { memory_mb = var.app.memory_mb }, auth = {} }
  deletion_protection = var.deletion_protection

  lifecycle {
    # An apply that is cut short while the machine is being made keeps it, and ends with a
    # warning. This turns it into an error that stops everything below.
    postcondition {
      condition = self.status == "running"
      error_message = (
        self.checkout_url != null
        ? "The instance waits for its checkout. Open ${self.checkout_url}, finish it, and apply again."
        : "The instance does not run yet. Apply again: that waits for the same one."
      )
    }
  }
}

resource "hosting_allowlist" "this" {
  instance_id = hosting_instance.this.id
  cidrs       = var.allowed_cidrs
}

resource "hosting_postgres_database" "this" {
  for_each = var.databases

  instance_id         = hosting_instance.this.id
  name                = each.key
  deletion_protection = var.deletion_protection
}

resource "hosting_postgres_extension" "this" {
  for_each = local.extensions

  instance_id = hosting_instance.this.id
  database    = hosting_postgres_database.this[each.value.database].name
  name        = each.value.name
}

# The app comes after the databases, so that it finds them when it starts.
resource "hosting_app" "this" {
  instance_id = hosting_instance.this.id
  name        = var.app.name
  repo        = var.app.repo
  branch      = var.app.branch
  port        = var.app.port
  health_path = var.app.health_path
  memory_mb   = var.app.memory_mb
  public      = true
  links       = ["auth"]

  env = merge(var.app.env, {
    NEXT_PUBLIC_AUTH_URL      = hosting_instance.this.auth_url
    NEXT_PUBLIC_AUTH_ANON_KEY = hosting_instance.this.auth_anon_key
  })

  secret_env_wo         = var.secret_env_version == null ? null : var.secret_env
  secret_env_wo_version = var.secret_env_version

  deletion_protection = var.deletion_protection

  depends_on = [hosting_postgres_database.this, hosting_postgres_extension.this]

  lifecycle {
    # An apply that sees the app fail ends with an error that says why, and needs no other
    # beside it.
    postcondition {
      condition     = self.status == "running" || self.status == "failed"
      error_message = "The app does not run yet. Apply again: that waits for the same build."
    }
  }
}

resource "hosting_auth_settings" "this" {
  instance_id   = hosting_instance.this.id
  site_url      = local.site_url
  redirect_urls = toset(["${local.site_url}/**", "${hosting_app.this.url}/**"])
}

resource "hosting_webhook_endpoint" "this" {
  count = var.webhook_url == null ? 0 : 1

  url = var.webhook_url
}
