import {
  to = hosting_webhook_endpoint.example
  identity = {
    id = "wh-abc123"
  }
}
