ephemeral "hosting_connection" "example" {
  instance_id = hosting_instance.example.id
}

# Secrets pass through to another provider without being kept anywhere.
provider "postgresql" {
  host     = ephemeral.hosting_connection.example.host
  port     = ephemeral.hosting_connection.example.postgres_direct_port
  database = ephemeral.hosting_connection.example.postgres_database
  username = regex("^postgres(?:ql)?://([^:]+):", ephemeral.hosting_connection.example.postgres_owner_url)[0]
  password = regex("^postgres(?:ql)?://[^:]+:([^@]+)@", ephemeral.hosting_connection.example.postgres_owner_url)[0]
  sslmode  = "verify-full"
}
