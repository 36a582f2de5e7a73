import {
  to = hosting_allowlist.example
  identity = {
    instance_id = "i-abc123"
  }
}
