ephemeral "hosting_connection" "shop" {
  instance_id = hosting_instance.example.id
}

locals {
  pooled = provider::hosting::pooled_url(ephemeral.hosting_connection.shop.postgres_owner_url)
}
