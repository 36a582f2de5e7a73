action "hosting_app_restart" "web" {
  config {
    instance_id = hosting_instance.example.id
    app         = "web"
  }
}
