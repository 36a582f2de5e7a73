# Two roles of Postgres, and what each may see. The owner writes. The read-only role, which a
# dashboard connects as, reads every table, but of this one only what a policy shows it.
terraform {
  required_version = ">= 1.11"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "~> 0.1"
    }
  }
}

variable "allowed_cidrs" {
  description = "Who may connect. The check below connects from the machine that runs Terraform."
  type        = set(string)
  default     = ["127.0.0.1/32"]
}

resource "hosting_instance" "shop" {
  name    = "shop"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = {} }
}

resource "hosting_allowlist" "shop" {
  instance_id = hosting_instance.shop.id
  cidrs       = var.allowed_cidrs
}

# Run as the owner, through the SQL console, which is closed before and after. Change the
# file, and it is run again, so it says everything in a way that can be repeated.
resource "hosting_postgres_script" "policy" {
  instance_id = hosting_instance.shop.id
  sql         = file("${path.module}/policy.sql")
}
