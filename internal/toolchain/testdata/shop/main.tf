terraform {
  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "~> 0.1"
    }
  }
}

data "hosting_instance" "main" {
  name = "main"
}

resource "hosting_instance" "shop" {
  name                = "shop"
  plan                = data.hosting_instance.main.plan
  region              = "eu-central"
  engines             = { postgres = { memory_mb = 512 } }
  deletion_protection = false
}

output "url" {
  value = provider::hosting::pooled_url("postgresql://owner@${hosting_instance.shop.host}:5432/main")
}
