resource "hosting_auth_settings" "example" {
  instance_id   = hosting_instance.example.id
  site_url      = hosting_app.example.url
  redirect_urls = ["${hosting_app.example.url}/**"]
}
