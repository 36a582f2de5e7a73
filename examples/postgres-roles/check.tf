# The apply ends with an error if the read-only role sees what it should not. Its password
# comes from the ephemeral connection, so neither the state nor a plan keeps it. This needs
# psql on the machine that runs Terraform.
ephemeral "hosting_connection" "shop" {
  instance_id = hosting_instance.shop.id
}

# libpq reads the instance's certificate authority from a file.
resource "terraform_data" "ca" {
  triggers_replace = hosting_instance.shop.ca_certificate

  provisioner "local-exec" {
    working_dir = path.module
    command     = "printf '%s' \"$CA\" > ca.pem"
    environment = { CA = hosting_instance.shop.ca_certificate }
  }
}

resource "terraform_data" "check" {
  triggers_replace = [hosting_postgres_script.policy.sql, filesha256("${path.module}/check.sql")]

  provisioner "local-exec" {
    working_dir = path.module
    command     = "psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --file check.sql"
    environment = provider::hosting::libpq_env(ephemeral.hosting_connection.shop.postgres_readonly_url, "ca.pem")
  }

  depends_on = [terraform_data.ca, hosting_allowlist.shop]
}
