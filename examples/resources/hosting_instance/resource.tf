resource "hosting_instance" "example" {
  name    = "shop"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = {} }
}

# Without an allowlist, any address may connect.
resource "hosting_allowlist" "example" {
  instance_id = hosting_instance.example.id
  cidrs       = ["203.0.113.0/24"]
}
