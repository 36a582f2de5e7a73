resource "hosting_instance" "production" {
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

  # How long an apply waits. If the instance takes longer, the next apply resumes waiting.
  timeouts = {
    create = "45m"
    update = "1h"
  }

  lifecycle {
    # If an apply ends while the instance is still being created, it only warns. With this
    # postcondition it fails instead, and creates nothing that depends on the instance.
    postcondition {
      condition     = self.status == "running"
      error_message = "The instance does not run yet. Apply again to wait for it."
    }
  }
}

resource "hosting_allowlist" "production" {
  instance_id = hosting_instance.production.id
  cidrs       = ["203.0.113.0/24", "2001:db8::7"]
}
