import {
  to = hosting_auth_settings.example
  id = "i-abc123"
}
