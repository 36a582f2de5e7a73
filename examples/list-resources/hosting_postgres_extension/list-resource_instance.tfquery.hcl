# Of one instance, up to 500 results.
list "hosting_postgres_extension" "shop" {
  provider         = hosting
  include_resource = true
  limit            = 500

  config {
    instance_id = "i-abc123"
  }
}
