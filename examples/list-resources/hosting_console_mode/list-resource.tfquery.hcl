list "hosting_console_mode" "all" {
  provider         = hosting
  include_resource = true
}
