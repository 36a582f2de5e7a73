# Rotates the passwords whenever rotated_on changes, or by hand. Actions need
# Terraform 1.14; OpenTofu has none.
terraform {
  required_version = ">= 1.14"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "~> 0.1"
    }
  }
}

variable "rotated_on" {
  description = "The day of the newest rotation. Another day rotates the passwords."
  type        = string

  validation {
    condition     = can(regex("^\\d{4}-\\d{2}-\\d{2}$", var.rotated_on))
    error_message = "Write the day as 2026-11-22."
  }
}

resource "hosting_instance" "shop" {
  name    = "shop"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = {} }
}

# Replaces every password of the instance, and so every URL that contains one. Restart apps on
# the instance afterwards. Everything else reads the new passwords from the ephemeral resource
# hosting_connection, which stores them nowhere.
#
# By hand: terraform apply -invoke=action.hosting_instance_rotate.passwords
action "hosting_instance_rotate" "passwords" {
  config {
    instance_id = hosting_instance.shop.id
  }
}

resource "terraform_data" "rotation" {
  input = var.rotated_on

  lifecycle {
    action_trigger {
      # A new instance has new passwords: the first day alone rotates nothing.
      events  = [after_update]
      actions = [action.hosting_instance_rotate.passwords]
    }
  }
}

# For providers that connect in the same apply. Without depends_on it may open while the
# rotation runs, and pass on the old password.
ephemeral "hosting_connection" "shop" {
  instance_id = hosting_instance.shop.id
  depends_on  = [terraform_data.rotation]
}
