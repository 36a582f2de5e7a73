# Columns of its types would be dropped with it.
resource "hosting_postgres_extension" "vector" {
  instance_id = hosting_instance.example.id
  name        = "pgvector"

  lifecycle {
    prevent_destroy = true
  }
}
