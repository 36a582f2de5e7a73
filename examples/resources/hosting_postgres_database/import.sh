terraform import hosting_postgres_database.example i-abc123/orders
