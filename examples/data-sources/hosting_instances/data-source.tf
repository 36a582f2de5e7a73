data "hosting_instances" "production" {
  tag    = "production"
  status = "running"
}

output "hosts" {
  value = { for i in data.hosting_instances.production.instances : i.name => i.host }
}
