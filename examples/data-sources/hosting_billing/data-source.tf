data "hosting_billing" "active" {
  status = "active"
}
