list "hosting_postgres_database" "all" {
  provider         = hosting
  include_resource = true
}
