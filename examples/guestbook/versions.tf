terraform {
  # 1.11 is the first with ephemeral values and write-only arguments, which the
  # provider offers. OpenTofu 1.11 works as well.
  required_version = ">= 1.11"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = ">= 0.1.0"
    }
  }
}
