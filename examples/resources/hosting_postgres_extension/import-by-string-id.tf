import {
  to = hosting_postgres_extension.orders
  id = "i-abc123/orders/pgvector"
}
