action "hosting_app_redeploy" "web" {
  config {
    instance_id = hosting_instance.example.id
    app         = "web"
  }
}

# Redeploys whenever the release changes.
resource "terraform_data" "release" {
  input = var.release

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.hosting_app_redeploy.web]
    }
  }
}

variable "release" {
  type = string
}
