import {
  to = hosting_instance.example
  identity = {
    id = "i-abc123"
  }
}
