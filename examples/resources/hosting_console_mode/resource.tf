resource "hosting_console_mode" "example" {
  instance_id = hosting_instance.example.id
  mode        = "ro"
}
