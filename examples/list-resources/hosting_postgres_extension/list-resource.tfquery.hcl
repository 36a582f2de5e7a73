list "hosting_postgres_extension" "all" {
  provider         = hosting
  include_resource = true
}
