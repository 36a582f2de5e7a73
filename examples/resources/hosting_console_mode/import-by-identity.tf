import {
  to = hosting_console_mode.example
  identity = {
    instance_id = "i-abc123"
  }
}
