variable "rotated_on" {
  description = "The day of the last rotation. Another day rotates the passwords."
  type        = string
}

action "hosting_instance_rotate" "planned" {
  config {
    instance_id = hosting_instance.example.id
  }
}

resource "terraform_data" "rotation" {
  input = var.rotated_on

  lifecycle {
    action_trigger {
      events  = [after_update]
      actions = [action.hosting_instance_rotate.planned]
    }
  }
}

# Opens after the rotation, with the new passwords.
ephemeral "hosting_connection" "example" {
  instance_id = hosting_instance.example.id
  depends_on  = [terraform_data.rotation]
}
