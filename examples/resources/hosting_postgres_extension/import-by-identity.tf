import {
  to = hosting_postgres_extension.orders
  identity = {
    instance_id = "i-abc123"
    database    = "orders"
    name        = "pgvector"
  }
}
