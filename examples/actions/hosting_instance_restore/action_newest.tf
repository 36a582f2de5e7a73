# The newest daily backup.
data "hosting_backups" "daily" {
  instance_id = hosting_instance.example.id
  kind        = "daily"
}

action "hosting_instance_restore" "newest" {
  config {
    instance_id = hosting_instance.example.id
    confirm     = hosting_instance.example.id
    backup_id   = data.hosting_backups.daily.backups[0].id
  }
}
