# Empties a staging instance's database whenever its seed changes.
action "hosting_instance_reset" "staging" {
  config {
    instance_id = hosting_instance.staging.id
    confirm     = hosting_instance.staging.id
    engine      = "postgres"
  }
}

resource "terraform_data" "seed" {
  input = var.seed

  lifecycle {
    action_trigger {
      events  = [after_update]
      actions = [action.hosting_instance_reset.staging]
    }
  }
}

variable "seed" {
  description = "Version of the data that staging begins with."
  type        = string
}
