import {
  to = hosting_webhook_endpoint.example
  id = "wh-abc123"
}
