resource "hosting_postgres_extension" "example" {
  instance_id = hosting_instance.example.id
  database    = hosting_postgres_database.example.name
  name        = "pgvector"
}
