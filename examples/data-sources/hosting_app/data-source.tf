data "hosting_app" "web" {
  instance_id = hosting_instance.example.id
  name        = "web"
}
