# The cheapest plan with at least 4 GB of memory.
data "hosting_plans" "big" {
  min_memory_mb = 4096
}

output "cheapest" {
  value = data.hosting_plans.big.plans[0].id
}
