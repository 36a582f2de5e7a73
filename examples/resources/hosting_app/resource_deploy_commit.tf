variable "commit" {
  description = "The commit that CI has tested."
  type        = string
}

# Each apply with another commit deploys it. If somebody else deploys another one, the
# next plan shows it.
resource "hosting_app" "web" {
  instance_id   = hosting_instance.example.id
  name          = "web"
  repo          = "acme/shop"
  deploy_commit = var.commit
}
