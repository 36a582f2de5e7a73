resource "hosting_webhook_endpoint" "example" {
  url = "https://hooks.example.com/hosting"
}
