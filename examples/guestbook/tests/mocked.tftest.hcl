# Run with `terraform test -filter=tests/mocked.tftest.hcl`. It needs neither a service nor
# a key: the provider is mocked, so what is tested is this module's own logic.

mock_provider "hosting" {
  mock_resource "hosting_instance" {
    defaults = {
      id            = "i-4f2a"
      status        = "running"
      host          = "i-4f2a.example.com"
      auth_url      = "https://i-4f2a.example.com/auth/v1"
      auth_anon_key = "anon-key"
    }
  }

  mock_resource "hosting_app" {
    defaults = {
      status = "running"
      url    = "https://guestbook.example.com"
    }
  }
}

variables {
  plan   = "free"
  region = "eu-central"
  repo   = "acme/guestbook"
}

run "puts_the_parts_together" {
  assert {
    condition = hosting_app.this.env == tomap({
      NEXT_PUBLIC_AUTH_URL      = "https://i-4f2a.example.com/auth/v1"
      NEXT_PUBLIC_AUTH_ANON_KEY = "anon-key"
    })
    error_message = "The app is not built with the auth engine's URL and key."
  }

  assert {
    condition     = hosting_auth_settings.this.site_url == "https://guestbook.example.com"
    error_message = "Sign-ins do not return to the app."
  }

  assert {
    condition     = alltrue([for part in [hosting_allowlist.this, hosting_app.this, hosting_postgres_script.table[0]] : part.instance_id == "i-4f2a"])
    error_message = "A part is on another instance."
  }
}

run "is_closed_and_protected_by_default" {
  assert {
    condition     = output.allowed_cidrs == toset(["127.0.0.1/32"]) && output.console_mode == "off"
    error_message = "The ports or the SQL console are open."
  }

  assert {
    condition     = hosting_instance.this.deletion_protection && hosting_app.this.deletion_protection
    error_message = "The data is not protected."
  }

  assert {
    condition     = output.webhook_endpoint_id == null && output.webhook_secret == null
    error_message = "There is a webhook endpoint that nobody asked for."
  }
}
