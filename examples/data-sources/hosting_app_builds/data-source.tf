data "hosting_app_builds" "failed" {
  instance_id = hosting_instance.example.id
  app         = "web"
  status      = "failed"
}
