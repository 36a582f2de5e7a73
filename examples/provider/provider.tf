terraform {
  required_version = ">= 1.11"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "~> 0.1"
    }
  }
}

# The address and the key come from HOSTING_BASE_URL and HOSTING_API_KEY, which
# keeps the key out of the configuration.
provider "hosting" {}

resource "hosting_instance" "shop" {
  name    = "shop"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = {}, apps = {} }
}

# Without an allowlist, the instance is open to the internet.
resource "hosting_allowlist" "shop" {
  instance_id = hosting_instance.shop.id
  cidrs       = ["203.0.113.0/24"] # your network
}

resource "hosting_app" "web" {
  instance_id = hosting_instance.shop.id
  name        = "web"
  repo        = "acme/shop"
  public      = true
}

output "url" {
  value = hosting_app.web.url
}
