resource "hosting_app" "example" {
  instance_id = hosting_instance.example.id
  name        = "web"
  repo        = "acme/shop"
  public      = true
}
