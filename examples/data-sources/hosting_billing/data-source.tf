data "hosting_billing" "all" {}
