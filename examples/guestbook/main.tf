# The machine, with the three engines that the guestbook needs. The auth engine
# needs both of the others.
resource "hosting_instance" "this" {
  name   = var.name
  plan   = var.plan
  region = var.region
  tags   = var.tags

  engines = {
    postgres = {}
    apps     = {}
    auth     = {}
  }

  deletion_protection = var.deletion_protection

  lifecycle {
    # An apply that is cut short while the machine is being made ends with a
    # warning, so that the machine is kept. This turns it into an error that
    # stops everything below, and still keeps the machine.
    postcondition {
      condition = self.status == "running"
      error_message = (
        self.checkout_url != null
        ? "The instance waits for its checkout. Open ${self.checkout_url}, finish it, and apply again."
        : "The instance is not running yet, it is ${coalesce(self.status, "in an unknown state")}. Apply again: that waits for the same machine and makes no second one."
      )
    }
  }
}

# Who may connect to the instance's ports. The list stays in force if this
# resource alone is destroyed.
resource "hosting_allowlist" "this" {
  instance_id = hosting_instance.this.id
  cidrs       = var.allowed_cidrs
}

# The browser's SQL console stays closed. The script below opens it for its
# statement and puts back the mode that it found. It comes after this resource,
# so the mode that it finds, and puts back, is "off".
resource "hosting_console_mode" "this" {
  instance_id = hosting_instance.this.id
  mode        = "off"
}

# The guestbook's table. It is not dropped by a destroy: it goes with the
# instance, and deletion_protection guards that.
resource "hosting_postgres_script" "table" {
  count = var.create_table ? 1 : 0

  instance_id = hosting_instance.this.id
  sql         = file("${path.module}/schema.sql")

  depends_on = [hosting_console_mode.this]
}

# The app. It comes after the table, so that no visitor finds a guestbook
# without one.
resource "hosting_app" "this" {
  instance_id = hosting_instance.this.id
  name        = "guestbook"

  repo        = var.repo
  branch      = var.branch
  port        = 3000
  health_path = "/healthz"
  public      = true

  # Both are built into the pages that the browser gets. Neither is a secret.
  env = {
    NEXT_PUBLIC_AUTH_URL      = hosting_instance.this.auth_url
    NEXT_PUBLIC_AUTH_ANON_KEY = hosting_instance.this.auth_anon_key
  }

  # The provider links the auth engine after the import, which ignores links.
  links = ["auth"]

  # The visit counter is under the app's /data, which goes with the app.
  deletion_protection = var.deletion_protection

  depends_on = [hosting_postgres_script.table]

  lifecycle {
    # An apply that is cut short during the first build ends with a warning as
    # well. One that sees the app fail ends with an error that says why, and
    # needs no other beside it.
    postcondition {
      condition     = self.status == "running" || self.status == "failed"
      error_message = "The app is not running yet, it is ${coalesce(self.status, "in an unknown state")}. Apply again: that waits for the same build."
    }

    postcondition {
      condition     = self.url != null || self.status != "running"
      error_message = "The service gave the app no public URL yet. Apply again in a minute: without it, sign-ins have nowhere to return to."
    }
  }
}

# Where the auth engine sends visitors back to. The address is the one that the
# service gave the app; it can't be guessed.
resource "hosting_auth_settings" "this" {
  instance_id   = hosting_instance.this.id
  site_url      = hosting_app.this.url
  redirect_urls = ["${hosting_app.this.url}/**"]
}

# Where the service reports what happens to the account's instances.
resource "hosting_webhook_endpoint" "this" {
  count = var.webhook_url == null ? 0 : 1

  url = var.webhook_url
}
