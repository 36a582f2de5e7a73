data "hosting_app_builds" "all" {
  instance_id = hosting_instance.example.id
  app         = "web"
}
