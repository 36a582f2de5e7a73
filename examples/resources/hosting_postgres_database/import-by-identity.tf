import {
  to = hosting_postgres_database.example
  identity = {
    instance_id = "i-abc123"
    name        = "orders"
  }
}
