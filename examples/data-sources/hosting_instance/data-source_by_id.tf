data "hosting_instance" "by_id" {
  id = "i-4f2a"
}

output "memory_used" {
  value = data.hosting_instance.by_id.usage.memory_mb
}
