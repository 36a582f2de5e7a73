# Of one instance.
list "hosting_auth_settings" "shop" {
  provider         = hosting
  include_resource = true

  config {
    instance_id = "i-abc123"
  }
}
