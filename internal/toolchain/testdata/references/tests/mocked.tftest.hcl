mock_provider "hosting" {}
run "all" {
  command = apply
}
