resource "hosting_account_profile" "example" {
  company = "Example Ltd"
  address = "1 Example Street, Example Town"
  vat_id  = "XX123456789"
}
