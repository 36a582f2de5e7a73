# As mocked.tftest.hcl, where the app does not answer on its health path. What is
# overridden counts when a resource is created, so a case like this has a file, and with it
# a state, of its own.

mock_provider "hosting" {}

override_resource {
  target = hosting_instance.this
  values = { status = "running" }
}

override_resource {
  target = hosting_app.this
  values = {
    status = "failed"
    url    = "https://guestbook.example.com"
  }
}

variables {
  plan   = "free"
  region = "eu-central"
  repo   = "acme/guestbook"
}

# The provider has said why. The module adds no error of its own, and sign-ins return to
# the app once it is fixed.
run "adds_nothing_to_a_failure" {
  assert {
    condition     = output.app_status == "failed"
    error_message = "The output does not say that the app has failed."
  }

  assert {
    condition     = hosting_auth_settings.this.site_url == "https://guestbook.example.com"
    error_message = "Sign-ins do not return to the app."
  }
}
