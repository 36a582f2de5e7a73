data "hosting_apps_guide" "guide" {}

output "guide" {
  value = data.hosting_apps_guide.guide.markdown
}
