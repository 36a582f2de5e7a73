# Only the VAT number. The rest is kept as it was entered in the portal.
resource "hosting_account_profile" "vat_id" {
  vat_id = "XX123456789"
}
