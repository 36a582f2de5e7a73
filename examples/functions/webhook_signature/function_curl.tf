# A command that sends a signed test event to a receiver on your machine.
locals {
  event = jsonencode({ type = "ready" })
}

output "test_delivery" {
  value = join(" ", [
    "curl http://localhost:8080/hooks",
    "-H 'X-Service-Signature: ${provider::hosting::webhook_signature(local.event, "the endpoint's secret")}'",
    "-d '${local.event}'",
  ])
}
