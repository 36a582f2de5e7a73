# What each engine needs at least.
data "hosting_plans" "all" {}

output "minimums" {
  value = { for name, engine in data.hosting_plans.all.engines : name => engine.floor_mb }
}
