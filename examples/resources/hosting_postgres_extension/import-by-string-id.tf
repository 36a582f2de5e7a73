import {
  to = hosting_postgres_extension.example
  id = "i-abc123/orders/pgvector"
}
