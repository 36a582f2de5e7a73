# Passwords that are rotated on a day that you write down, or by hand. Actions need
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

# Every password of the instance, and every URL with one in it. Apps on the instance get the
# new ones by a restart; whoever else connects has to read them anew, best from the ephemeral
# resource hosting_connection, which keeps them nowhere.
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
