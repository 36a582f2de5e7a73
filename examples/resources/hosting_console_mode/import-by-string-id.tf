import {
  to = hosting_console_mode.example
  id = "i-abc123"
}
