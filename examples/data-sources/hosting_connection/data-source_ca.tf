# The certificate for sslmode=verify-full. It is not secret.
data "hosting_connection" "shop" {
  instance_id = "i-4f2a"
}

output "ca_certificate" {
  value = data.hosting_connection.shop.ca_certificate
}
