terraform import hosting_postgres_extension.orders i-abc123/orders/pgvector
