import {
  to = hosting_auth_settings.example
  identity = {
    instance_id = "i-abc123"
  }
}
