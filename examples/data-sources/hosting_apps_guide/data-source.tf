data "hosting_apps_guide" "guide" {}

# terraform output -raw apps_guide
output "apps_guide" {
  value = data.hosting_apps_guide.guide.markdown
}
