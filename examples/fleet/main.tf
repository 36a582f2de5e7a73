# A fleet: instances that are alike but for what a table says of each. One that is added to
# the table is made, one that changes is changed in place, and no other is touched.
terraform {
  required_version = ">= 1.11"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "~> 0.1"
    }
  }
}

provider "hosting" {
  # Every instance has these tags, beside its own.
  default_tags = ["fleet", "terraform"]
}

variable "fleet" {
  description = "The instances, by name."
  type = map(object({
    region    = string
    plan      = optional(string, "free")
    engines   = optional(map(object({ memory_mb = optional(number) })), { postgres = {} })
    tags      = optional(set(string), [])
    protected = optional(bool, true)
  }))
  default = {
    cache-eu  = { region = "eu-central", engines = { redis = {} }, tags = ["cache"] }
    orders-eu = { region = "eu-central", tags = ["orders"] }
    orders-us = { region = "us-east", tags = ["orders"] }
  }
}

variable "allowed_cidrs" {
  description = "Who may connect to any of them."
  type        = set(string)
  default     = ["203.0.113.0/24"]

  validation {
    condition     = length(var.allowed_cidrs) > 0
    error_message = "An empty allowlist opens the fleet to the internet."
  }
}

# Ten are made at a time, eight minutes each. terraform apply -parallelism=30 makes thirty.
resource "hosting_instance" "fleet" {
  for_each = var.fleet

  name    = each.key
  plan    = each.value.plan
  region  = each.value.region
  engines = each.value.engines
  tags    = each.value.tags

  # To take one away, apply protected = false first, and then take it out of the table.
  deletion_protection = each.value.protected
}

# It repeats over the table and not over hosting_instance.fleet, which would have every
# allowlist look at every instance.
resource "hosting_allowlist" "fleet" {
  for_each = var.fleet

  instance_id = hosting_instance.fleet[each.key].id
  cidrs       = var.allowed_cidrs
}

output "hosts" {
  description = "Host of each instance."
  value       = { for name, instance in hosting_instance.fleet : name => instance.host }
}
