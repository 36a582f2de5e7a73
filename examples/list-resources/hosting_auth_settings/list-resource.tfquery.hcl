list "hosting_auth_settings" "all" {
  provider         = hosting
  include_resource = true
}
