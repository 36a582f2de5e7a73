# In the instance's own database.
resource "hosting_postgres_extension" "example" {
  instance_id = hosting_instance.example.id
  name        = "pgcrypto"
}

# In an additional database.
resource "hosting_postgres_extension" "orders" {
  instance_id = hosting_instance.example.id
  database    = hosting_postgres_database.example.name
  name        = "pgvector"
}
