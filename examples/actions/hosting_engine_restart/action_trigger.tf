variable "restarted_on" {
  description = "The day of the last restart. Another day restarts Postgres."
  type        = string
}

action "hosting_engine_restart" "planned" {
  config {
    instance_id = hosting_instance.example.id
    engine      = "postgres"
    timeouts    = { invoke = "10m" }
  }
}

resource "terraform_data" "restart" {
  input = var.restarted_on

  lifecycle {
    action_trigger {
      events  = [after_update]
      actions = [action.hosting_engine_restart.planned]
    }
  }
}
