data "hosting_account" "me" {}
