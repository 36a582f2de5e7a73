list "hosting_allowlist" "all" {
  provider         = hosting
  include_resource = true
}
