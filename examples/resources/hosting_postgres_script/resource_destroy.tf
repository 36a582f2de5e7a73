# A schema in an additional database, which a destroy drops.
resource "hosting_postgres_script" "reporting" {
  instance_id = hosting_instance.example.id
  database    = hosting_postgres_database.example.name
  sql         = "CREATE SCHEMA IF NOT EXISTS reporting;"
  destroy_sql = "DROP SCHEMA IF EXISTS reporting CASCADE;"
}
