action "hosting_app_redeploy" "web" {
  config {
    instance_id = hosting_instance.example.id
    app         = "web"
  }
}
