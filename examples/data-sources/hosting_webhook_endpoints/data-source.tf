data "hosting_webhook_endpoints" "all" {}
