terraform import hosting_postgres_extension.example i-abc123/orders/pgvector
