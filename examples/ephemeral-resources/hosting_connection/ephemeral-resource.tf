terraform {
  required_version = ">= 1.11"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "~> 0.1"
    }
    postgresql = {
      source  = "cyrilgdev/postgresql"
      version = ">= 1.25"
    }
  }
}

ephemeral "hosting_connection" "shop" {
  instance_id = hosting_instance.shop.id
}

# Create the instance first, in an apply or a configuration of its own. Then save its CA
# certificate, which is not secret, next to this configuration:
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
