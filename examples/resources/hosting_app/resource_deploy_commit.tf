variable "commit" {
  description = "The commit that CI has tested."
  type        = string
}

# An apply with a new commit deploys that commit. If a different commit is deployed
# outside Terraform, the next plan shows it.
resource "hosting_app" "web" {
  instance_id   = hosting_instance.example.id
  name          = "web"
  repo          = "acme/shop"
  deploy_commit = var.commit
}
