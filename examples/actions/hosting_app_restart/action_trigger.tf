variable "settings" {
  description = "What the app reads when it starts."
  type        = string
}

action "hosting_app_restart" "settings" {
  config {
    instance_id = hosting_instance.example.id
    app         = "web"
  }
}

# Restarts the app whenever the settings change.
resource "terraform_data" "settings" {
  input = var.settings

  lifecycle {
    action_trigger {
      events  = [after_update]
      actions = [action.hosting_app_restart.settings]
    }
  }
}
