# Of one instance.
list "hosting_allowlist" "shop" {
  provider         = hosting
  include_resource = true

  config {
    instance_id = "i-abc123"
  }
}
