list "hosting_postgres_database" "shop" {
  provider         = hosting
  include_resource = true

  config {
    instance_id = "i-abc123"
  }
}
