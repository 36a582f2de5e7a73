import {
  to = hosting_allowlist.example
  id = "i-abc123"
}
