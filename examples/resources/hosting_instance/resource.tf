resource "hosting_instance" "example" {
  name   = "shop"
  plan   = "medium"
  region = "eu-central"
  tags   = ["shop", "production"]

  engines = {
    postgres = { memory_mb = 2048 }
    redis    = {}
    apps     = {}
    auth     = {}
  }

  # How long an apply waits before it ends. The next one waits for the same job.
  timeouts = {
    create = "45m"
    update = "1h"
  }

  lifecycle {
    # An apply that ends before the instance runs ends with a warning, so that
    # the machine is kept. This makes it fail and stops what depends on it.
    postcondition {
      condition     = self.status == "running"
      error_message = "The instance does not run yet. Apply again: that waits for the same one."
    }
  }
}
