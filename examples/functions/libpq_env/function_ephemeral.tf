ephemeral "hosting_connection" "shop" {
  instance_id = hosting_instance.example.id
}

# For the environment of a provisioner. The password is kept out of the state.
locals {
  psql = provider::hosting::libpq_env(ephemeral.hosting_connection.shop.postgres_owner_url, "/etc/ssl/shop-ca.pem")
}
