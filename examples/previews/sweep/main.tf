# sweep/main.tf
# Adopts previews whose pull request is no longer open, so that a destroy deletes them. It
# needs no state of theirs.
terraform {
  required_version = ">= 1.11"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "~> 0.1"
    }
  }
}

variable "open" {
  description = "Numbers of the open pull requests, whose previews stay."
  type        = set(number)
}

data "hosting_instances" "previews" {
  tag = "preview"
}

locals {
  stale = {
    for instance in data.hosting_instances.previews.instances : instance.id => instance
    if instance.status != "deleting" && length(setintersection(instance.tags, [for number in var.open : "pr-${number}"])) == 0
  }
}

import {
  for_each = local.stale

  to = hosting_instance.stale[each.key]
  id = each.key
}

resource "hosting_instance" "stale" {
  for_each = local.stale

  name                = each.value.name
  plan                = each.value.plan
  region              = each.value.region
  engines             = { for name, engine in each.value.engines : name => { memory_mb = engine.memory_mb } }
  tags                = each.value.tags
  deletion_protection = false
}

output "stale" {
  description = "Names of the previews that a destroy deletes."
  value       = [for instance in local.stale : instance.name]
}
