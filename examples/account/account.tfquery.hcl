# terraform query -generate-config-out=account.tf
list "hosting_account_profile" "all" {
  provider         = hosting
  include_resource = true
  limit            = 1000
}

list "hosting_instance" "all" {
  provider         = hosting
  include_resource = true
  limit            = 1000
}

list "hosting_allowlist" "all" {
  provider         = hosting
  include_resource = true
  limit            = 1000
}

list "hosting_console_mode" "all" {
  provider         = hosting
  include_resource = true
  limit            = 1000
}

list "hosting_auth_settings" "all" {
  provider         = hosting
  include_resource = true
  limit            = 1000
}

list "hosting_app" "all" {
  provider         = hosting
  include_resource = true
  limit            = 1000
}

list "hosting_postgres_database" "all" {
  provider         = hosting
  include_resource = true
  limit            = 1000
}

list "hosting_postgres_extension" "all" {
  provider         = hosting
  include_resource = true
  limit            = 1000
}

list "hosting_webhook_endpoint" "all" {
  provider         = hosting
  include_resource = true
  limit            = 1000
}
