resource "hosting_postgres_database" "example" {
  instance_id = hosting_instance.example.id
  name        = "orders"
}
