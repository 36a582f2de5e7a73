# The SQL console of several instances stays closed.
resource "hosting_console_mode" "off" {
  for_each = toset(["i-4f2a", "i-77c1"])

  instance_id = each.value
  mode        = "off"
}
