# terraform test, with HOSTING_BASE_URL and HOSTING_API_KEY of a service that has these plans
# and regions: the fake one costs nothing and takes seconds. What it makes, it destroys.

variables {
  name                = "stack-test"
  region              = "eu-central"
  app                 = { repo = "acme/shop" }
  databases           = { catalogue = ["pg_trgm", "pgvector"], orders = [] }
  secret_env          = { PAYMENT_TOKEN = "tok-of-a-test" }
  secret_env_version  = 1
  deletion_protection = false
}

run "rejects_a_repository_without_owner" {
  command = plan

  variables {
    app = { repo = "shop" }
  }

  expect_failures = [var.app]
}

run "rejects_a_database_with_a_hyphen" {
  command = plan

  variables {
    databases = { order-items = [] }
  }

  expect_failures = [var.databases]
}

run "rejects_an_open_instance" {
  command = plan

  variables {
    allowed_cidrs = ["0.0.0.0/0"]
  }

  expect_failures = [var.allowed_cidrs]
}

run "rejects_a_webhook_without_https" {
  command = plan

  variables {
    webhook_url = "http://events.example.com/shop"
  }

  expect_failures = [var.webhook_url]
}

run "deploys" {
  assert {
    condition     = hosting_app.this.status == "running" && startswith(output.url, "https://")
    error_message = "The app does not run at a public URL."
  }

  assert {
    condition     = hosting_app.this.env["NEXT_PUBLIC_AUTH_URL"] == output.auth_url
    error_message = "The app was not built with the auth engine's URL."
  }

  assert {
    condition     = length(hosting_postgres_database.this) == 2 && length(hosting_postgres_extension.this) == 2
    error_message = "There are not two databases and two extensions."
  }

  assert {
    condition     = hosting_auth_settings.this.site_url == output.url
    error_message = "Sign-ins do not return to the app."
  }

  assert {
    condition     = output.webhook_secret == null
    error_message = "There is a webhook endpoint that nobody asked for."
  }
}

run "changes_in_place" {
  variables {
    name        = "stack-renamed"
    site_url    = "https://shop.example.com"
    webhook_url = "https://events.example.com/shop"
    databases   = { catalogue = ["pg_trgm"], orders = [] }
  }

  assert {
    condition     = hosting_instance.this.name == "stack-renamed" && length(hosting_postgres_extension.this) == 1
    error_message = "The instance was not renamed, or the extension is still there."
  }

  assert {
    condition     = hosting_auth_settings.this.redirect_urls == toset(["https://shop.example.com/**", "${output.url}/**"])
    error_message = "Sign-ins may not return to both addresses."
  }

  assert {
    condition     = length(output.webhook_secret) > 0
    error_message = "The webhook endpoint has no secret."
  }
}
