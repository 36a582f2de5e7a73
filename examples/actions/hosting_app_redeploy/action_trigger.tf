variable "release" {
  type = string
}

action "hosting_app_redeploy" "release" {
  config {
    instance_id = hosting_instance.example.id
    app         = "web"
    timeouts    = { invoke = "30m" }
  }
}

# Deploys whenever the release changes.
resource "terraform_data" "release" {
  input = var.release

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.hosting_app_redeploy.release]
    }
  }
}
