data "hosting_backups" "daily" {
  instance_id = hosting_instance.example.id
  kind        = "daily"
}
