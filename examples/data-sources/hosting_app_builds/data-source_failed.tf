# Why the newest failed build failed. A build's log may contain secrets.
data "hosting_app_builds" "failed" {
  instance_id = hosting_instance.example.id
  app         = "web"
  status      = "failed"
}

output "build_error" {
  value     = try(data.hosting_app_builds.failed.builds[0].error, null)
  sensitive = true
}
