terraform {
  required_providers {
    hosting = {
      source = "instance-hosting/hosting"
    }
  }
}

variable "name" {
  type = string
}

resource "hosting_instance" "shop" {
  name                = var.name
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {}, apps = {} }
  deletion_protection = false
}

output "name" {
  value = hosting_instance.shop.name
}

output "status" {
  value = hosting_instance.shop.status
}
