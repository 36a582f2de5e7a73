terraform {
  # OpenTofu 1.11 works as well.
  required_version = ">= 1.11"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = ">= 0.1.0"
    }
  }
}
