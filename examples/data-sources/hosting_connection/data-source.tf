data "hosting_connection" "example" {
  instance_id = hosting_instance.example.id
}

output "psql_port" {
  value = data.hosting_connection.example.postgres_direct_port
}
