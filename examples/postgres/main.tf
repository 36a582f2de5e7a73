# A Postgres with a database of its own for each service, the extensions that they need, and
# an allowlist, so that nobody else connects.
terraform {
  required_version = ">= 1.11"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "~> 0.1"
    }
  }
}

variable "networks" {
  description = "Networks that may connect, by what they are."
  type        = map(string)
  default = {
    office = "203.0.113.0/24"
    vpn    = "198.51.100.7/32"
  }

  validation {
    condition     = length(var.networks) > 0
    error_message = "Name a network: an empty allowlist opens the instance to the internet."
  }
}

variable "databases" {
  description = "Databases, each with its extensions."
  type        = map(set(string))
  default = {
    catalogue = ["pg_trgm", "pgvector"]
    orders    = ["pgcrypto"]
  }
}

locals {
  # One entry for each extension of each database.
  extensions = merge([
    for database, names in var.databases : {
      for name in names : "${database}/${name}" => { database = database, name = name }
    }
  ]...)
}

# Both it and the databases are protected from deletion, unless you lift that.
resource "hosting_instance" "postgres" {
  name    = "postgres"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = { memory_mb = 1024 } }
}

resource "hosting_allowlist" "postgres" {
  instance_id = hosting_instance.postgres.id
  cidrs       = values(var.networks)
}

resource "hosting_postgres_database" "this" {
  for_each = var.databases

  instance_id = hosting_instance.postgres.id
  name        = each.key
}

resource "hosting_postgres_extension" "this" {
  for_each = local.extensions

  instance_id = hosting_instance.postgres.id
  database    = hosting_postgres_database.this[each.value.database].name
  name        = each.value.name
}

output "host" {
  description = "Where Postgres is: port 5432, or 6432 pooled."
  value       = hosting_instance.postgres.host
}

output "ca_certificate" {
  description = "The certificate for sslmode=verify-full. It is not secret."
  value       = hosting_instance.postgres.ca_certificate
}
