# The cheapest plan with 4 GB of memory, which data.hosting_plans lists first.
data "hosting_plans" "big" {
  min_memory_mb = 4096
}

resource "hosting_instance" "cache" {
  name    = "cache"
  plan    = data.hosting_plans.big.plans[0].id
  region  = "eu-north"
  engines = { redis = { memory_mb = 2048 } }

  lifecycle {
    # A new cheapest plan resizes nothing by itself.
    ignore_changes = [plan]
  }
}
