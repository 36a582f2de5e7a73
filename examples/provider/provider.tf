terraform {
  required_providers {
    hosting = {
      source = "instance-hosting/hosting"
    }
  }
}

# The address and the key come from HOSTING_BASE_URL and HOSTING_API_KEY, which
# keeps the key out of the configuration.
provider "hosting" {}
