resource "hosting_postgres_database" "reports" {
  instance_id = hosting_instance.example.id
  name        = "reports"
}

ephemeral "hosting_connection" "example" {
  instance_id = hosting_postgres_database.reports.instance_id
}

# What psql and pg_dump need to connect to the database. Only its name is its own.
locals {
  reports_env = merge(
    provider::hosting::libpq_env(ephemeral.hosting_connection.example.postgres_owner_url, "ca.pem"),
    { PGDATABASE = hosting_postgres_database.reports.name },
  )
}
