ephemeral "hosting_connection" "example" {
  instance_id = hosting_instance.example.id
}
