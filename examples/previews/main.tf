# main.tf
# A preview: an instance and an app for one pull request, with its own state.
terraform {
  required_version = ">= 1.11"

  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "~> 0.1"
    }
  }
}

variable "pull_request" {
  description = "Number of the pull request."
  type        = number
}

variable "branch" {
  description = "Branch of the pull request."
  type        = string
}

variable "commit" {
  description = "Commit to deploy. It must be the newest of the branch."
  type        = string
  default     = null
}

provider "hosting" {
  # The sweep finds previews by the first tag and their pull request by the second.
  default_tags = ["preview", "pr-${var.pull_request}"]
}

resource "hosting_instance" "preview" {
  name    = "shop-pr-${var.pull_request}"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = {}, apps = {} }

  # A preview has nothing to lose, and a pipeline must be able to destroy it.
  deletion_protection = false
}

resource "hosting_allowlist" "preview" {
  instance_id = hosting_instance.preview.id
  cidrs       = ["127.0.0.1/32"] # nobody connects to Postgres from outside
}

resource "hosting_app" "preview" {
  instance_id         = hosting_instance.preview.id
  name                = "web"
  repo                = "acme/shop"
  branch              = var.branch
  deploy_commit       = var.commit
  public              = true
  deletion_protection = false
}

output "url" {
  description = "Where the preview is."
  value       = hosting_app.preview.url
}
