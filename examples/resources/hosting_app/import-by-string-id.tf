import {
  to = hosting_app.example
  id = "i-abc123/web"
}
