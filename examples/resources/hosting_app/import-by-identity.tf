import {
  to = hosting_app.example
  identity = {
    instance_id = "i-abc123"
    name        = "web"
  }
}
