# The newest snapshot from before a reset or a restore; the list is sorted.
data "hosting_backups" "undo" {
  instance_id = hosting_instance.example.id
  kind        = "undo"
}

output "undo" {
  value = one(slice(data.hosting_backups.undo.backups, 0, min(1, length(data.hosting_backups.undo.backups))))
}
