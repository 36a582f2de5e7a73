list "hosting_instance" "all" {
  provider         = hosting
  include_resource = true
}
