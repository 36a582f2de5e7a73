# Production: the same module, and what is different about it.
terraform {
  required_version = ">= 1.11"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "~> 0.1"
    }
  }

  # Each environment has a state of its own, so that no apply can reach the other:
  # backend "s3" { key = "shop/production.tfstate" }
}

module "shop" {
  source = "../../modules/app-stack"

  name   = "shop-production"
  plan   = "medium"
  region = "eu-central"
  tags   = ["shop", "production"]

  # What is released is a branch of its own. deletion_protection is on, as it is by default.
  app       = { repo = "acme/shop", branch = "release", memory_mb = 1024 }
  databases = { orders = ["pgcrypto"] }
  site_url  = "https://shop.example.com"

  # One environment alone: an endpoint gets the events of the whole account.
  webhook_url = "https://events.example.com/hosting"
}

output "url" {
  description = "Where production is, behind the shop's own domain."
  value       = module.shop.url
}

output "webhook_secret" {
  description = "Key that signs each event: terraform output -raw webhook_secret"
  value       = module.shop.webhook_secret
  sensitive   = true
}
