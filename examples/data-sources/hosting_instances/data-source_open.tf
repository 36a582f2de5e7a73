# The output lists running production instances that are open to the internet.
data "hosting_instances" "production" {
  tag    = "production"
  status = "running"
}

output "open_instances" {
  value = [for i in data.hosting_instances.production.instances : i.name if try(length(i.allowlist) == 0, false)]
}
