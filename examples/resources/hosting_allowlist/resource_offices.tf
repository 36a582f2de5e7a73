variable "offices" {
  description = "Networks of the offices, by name."
  type        = map(string)
  default = {
    berlin = "203.0.113.0/24"
    oslo   = "198.51.100.0/24"
  }
}

# Destroying this resource opens the instance; the default keeps the list in effect.
resource "hosting_allowlist" "offices" {
  instance_id = hosting_instance.example.id
  cidrs       = values(var.offices)
  on_destroy  = "open"

  timeouts = {
    create = "5m"
    update = "5m"
  }
}
