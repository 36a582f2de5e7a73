# An app without a public URL, with more memory. It reads DATABASE_URL.
resource "hosting_app" "worker" {
  instance_id = hosting_instance.example.id
  name        = "worker"
  repo        = "acme/shop-worker"
  branch      = "release"
  health_path = "/live"
  memory_mb   = 1024

  # A change of any value builds and deploys the branch's newest commit.
  redeploy_triggers = { release = "2026-11-22" }
}
