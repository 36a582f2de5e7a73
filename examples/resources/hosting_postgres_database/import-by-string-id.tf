import {
  to = hosting_postgres_database.example
  id = "i-abc123/orders"
}
