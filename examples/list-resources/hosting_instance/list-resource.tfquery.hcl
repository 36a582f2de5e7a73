# terraform query -generate-config-out=instances.tf
list "hosting_instance" "production" {
  provider         = hosting
  include_resource = true

  config {
    tag = "production"
  }
}
