# terraform query -generate-config-out=instances.tf
list "hosting_instance" "production" {
  provider         = hosting
  include_resource = true
  limit            = 500

  config {
    tag    = "production"
    status = "running"
  }
}
