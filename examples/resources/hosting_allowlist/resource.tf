resource "hosting_allowlist" "example" {
  instance_id = hosting_instance.example.id
  cidrs       = ["203.0.113.0/24", "2001:db8::7"]
}
