import {
  to = hosting_postgres_extension.example
  identity = {
    instance_id = "i-abc123"
    database    = "orders"
    name        = "pgvector"
  }
}
