action "hosting_instance_reset" "redis" {
  config {
    instance_id = "i-abc123"
    confirm     = "i-abc123"
    engine      = "redis"
  }
}
