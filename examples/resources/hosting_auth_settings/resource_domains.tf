# A domain that your own proxy serves the app under, and a developer's machine.
resource "hosting_auth_settings" "shop" {
  instance_id = hosting_instance.example.id
  site_url    = "https://shop.example.com"

  redirect_urls = [
    "https://shop.example.com/**",
    "http://localhost:3000/**",
  ]
}
