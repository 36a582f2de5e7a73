# Of one instance.
list "hosting_console_mode" "shop" {
  provider         = hosting
  include_resource = true

  config {
    instance_id = "i-abc123"
  }
}
