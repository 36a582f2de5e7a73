action "hosting_instance_rotate" "passwords" {
  config {
    instance_id = hosting_instance.example.id
  }
}
