variable "commit" {
  description = "The commit that CI has tested."
  type        = string
}

# Each apply with another commit builds and deploys it. One that somebody else has
# deployed shows as a change.
resource "hosting_app" "web" {
  instance_id   = hosting_instance.example.id
  name          = "web"
  repo          = "acme/shop"
  deploy_commit = var.commit
}
