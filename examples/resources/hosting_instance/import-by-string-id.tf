import {
  to = hosting_instance.example
  id = "i-abc123"
}
