action "hosting_instance_restore" "yesterday" {
  config {
    instance_id = "i-abc123"
    confirm     = "i-abc123"
    backup_id   = "bak-def456"
  }
}
