# A database for each tenant, with an extension in each.
resource "hosting_postgres_database" "tenant" {
  for_each = toset(["north", "south"])

  instance_id = hosting_instance.example.id
  name        = "tenant_${each.value}"
}

resource "hosting_postgres_extension" "tenant" {
  for_each = hosting_postgres_database.tenant

  instance_id = each.value.instance_id
  database    = each.value.name
  name        = "pg_trgm"
}
