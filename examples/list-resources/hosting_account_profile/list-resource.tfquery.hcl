list "hosting_account_profile" "all" {
  provider         = hosting
  include_resource = true
}
