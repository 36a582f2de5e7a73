action "hosting_engine_restart" "postgres" {
  config {
    instance_id = hosting_instance.example.id
    engine      = "postgres"
  }
}
