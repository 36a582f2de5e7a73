# The newest snapshot from before a reset or a restore: the list begins with the newest.
data "hosting_backups" "undo" {
  instance_id = hosting_instance.example.id
  kind        = "undo"
}

output "undo" {
  value = try(data.hosting_backups.undo.backups[0], null)
}
