# Which account the API key belongs to. allowed_account_ids of the provider takes the id.
data "hosting_account" "current" {}

output "account" {
  value = "${data.hosting_account.current.email} (${data.hosting_account.current.id})"
}
