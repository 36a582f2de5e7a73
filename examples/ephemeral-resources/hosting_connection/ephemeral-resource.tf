ephemeral "hosting_connection" "shop" {
  instance_id = hosting_instance.shop.id
}

# Secrets pass through to another provider and are kept nowhere. The instance must be
# there before this provider is used, so make it first, in a configuration or an apply
# of its own. Then save its CA, which is no secret, beside this configuration:
#   terraform output -raw ca_certificate > ca.pem
provider "postgresql" {
  host        = ephemeral.hosting_connection.shop.host
  port        = ephemeral.hosting_connection.shop.postgres_direct_port
  database    = ephemeral.hosting_connection.shop.postgres_database
  username    = ephemeral.hosting_connection.shop.postgres_username
  password    = ephemeral.hosting_connection.shop.postgres_password
  superuser   = false
  sslmode     = "verify-full"
  sslrootcert = "${path.module}/ca.pem"
}

resource "postgresql_schema" "reporting" {
  name = "reporting"
}
