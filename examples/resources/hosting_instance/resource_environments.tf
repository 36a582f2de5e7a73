# One instance for each environment.
locals {
  environments = {
    staging    = { plan = "free", tags = ["staging"] }
    production = { plan = "medium", tags = ["production"] }
  }
}

resource "hosting_instance" "shop" {
  for_each = local.environments

  name    = "shop-${each.key}"
  plan    = each.value.plan
  region  = "eu-central"
  tags    = each.value.tags
  engines = { postgres = {}, apps = {} }

  # What is not production may be destroyed.
  deletion_protection = each.key == "production"
}
