# Staging: small, and free to be destroyed.
terraform {
  required_version = ">= 1.11"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "~> 0.1"
    }
  }

  # Each environment has a state of its own, so that no apply can reach the other:
  # backend "s3" { key = "shop/staging.tfstate" }
}

module "shop" {
  source = "../../modules/app-stack"

  name   = "shop-staging"
  region = "eu-central"
  tags   = ["shop", "staging"]

  # What is merged is tried here first.
  app       = { repo = "acme/shop", branch = "main" }
  databases = { orders = ["pgcrypto"] }

  deletion_protection = false
}

output "url" {
  description = "Where staging is."
  value       = module.shop.url
}
