# Run with `terraform test` against a service that has these plans and regions,
# and sees the repository. The fake one does if it is started with
# --repo instance-hosting/guestbook=examples/guestbook/app. What it makes, it
# destroys at the end.

variables {
  name                = "guestbook-test"
  plan                = "free"
  region              = "eu-central"
  repo                = "instance-hosting/guestbook"
  allowed_cidrs       = ["203.0.113.0/24", "127.0.0.1/32"]
  webhook_url         = "https://events.example.com/guestbook"
  deletion_protection = false
}

run "rejects_an_empty_name" {
  command = plan
  variables {
    name = " "
  }
  expect_failures = [var.name]
}

run "rejects_a_repository_without_owner" {
  command = plan
  variables {
    repo = "guestbook"
  }
  expect_failures = [var.repo]
}

run "rejects_what_is_no_address" {
  command = plan
  variables {
    allowed_cidrs = ["everyone"]
  }
  expect_failures = [var.allowed_cidrs]
}

run "rejects_a_webhook_without_https" {
  command = plan
  variables {
    webhook_url = "http://events.example.com/guestbook"
  }
  expect_failures = [var.webhook_url]
}

run "deploys" {
  assert {
    condition     = output.instance_status == "running" && output.app_status == "running"
    error_message = "The instance or the app is not running."
  }

  assert {
    condition     = endswith(output.auth_url, "/auth/v1")
    error_message = "The auth URL does not end in /auth/v1."
  }

  assert {
    condition     = hosting_app.this.env["NEXT_PUBLIC_AUTH_URL"] == output.auth_url && hosting_app.this.env["NEXT_PUBLIC_AUTH_ANON_KEY"] == output.auth_anon_key
    error_message = "The app was not built with the auth engine's URL and key."
  }

  assert {
    condition     = hosting_auth_settings.this.site_url == output.app_url
    error_message = "Sign-ins do not return to the app's URL."
  }

  assert {
    condition     = contains(hosting_auth_settings.this.redirect_urls, "${output.app_url}/**")
    error_message = "Sign-ins may not return to the app's pages."
  }

  assert {
    condition     = contains(hosting_app.this.links, "auth")
    error_message = "The auth engine is not linked."
  }

  assert {
    condition     = output.console_mode == "off"
    error_message = "The SQL console is open."
  }

  assert {
    condition     = length(output.webhook_secret) > 0
    error_message = "The webhook endpoint has no secret."
  }
}

run "changes_in_place" {
  variables {
    name        = "guestbook-renamed"
    webhook_url = null
  }

  assert {
    condition     = output.webhook_endpoint_id == null
    error_message = "The webhook endpoint is still there."
  }
}
