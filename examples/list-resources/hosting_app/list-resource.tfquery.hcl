list "hosting_app" "all" {
  provider         = hosting
  include_resource = true
}
