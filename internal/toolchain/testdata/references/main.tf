terraform {
  required_providers {
    hosting = {
      source = "instance-hosting/hosting"
    }
  }
}
resource "hosting_instance" "a" {
  name    = "a"
  plan    = "free"
  region  = "eu"
  engines = { postgres = {}, apps = {}, auth = {} }
}
resource "hosting_app" "web" {
  instance_id = hosting_instance.a.id
  name        = "web"
  repo        = "acme/web"
  public      = true
}
resource "hosting_app" "copy" {
  instance_id   = hosting_instance.a.id
  name          = "copy"
  repo          = hosting_app.web.build_id
  health_path   = hosting_app.web.build_id
  deploy_commit = hosting_app.web.commit
}
resource "hosting_auth_settings" "a" {
  instance_id   = hosting_instance.a.id
  site_url      = hosting_app.web.url
  redirect_urls = [hosting_app.web.url]
}
resource "hosting_allowlist" "a" {
  instance_id = hosting_instance.a.id
  cidrs       = [hosting_app.web.url]
}
resource "hosting_console_mode" "a" {
  instance_id = hosting_instance.a.id
  mode        = hosting_app.web.url
}
resource "hosting_postgres_extension" "a" {
  instance_id = hosting_instance.a.id
  name        = hosting_app.web.url
}
resource "hosting_webhook_endpoint" "a" {
  url = hosting_app.web.url
}
