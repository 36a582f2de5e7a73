# A command that sends a signed test event to a receiver on your machine.
locals {
  event = jsonencode({
    id          = "evt-1"
    type        = "ready"
    instance_id = null
    at          = "2026-03-01T12:00:00Z"
    data        = {}
  })
}

output "test_delivery" {
  value = join(" ", [
    "curl http://localhost:9000/hooks",
    "-H 'X-Service-Event: ready' -H 'X-Service-Delivery: dlv-1'",
    "-H 'X-Service-Signature: ${provider::hosting::webhook_signature(local.event, "the endpoint's secret")}'",
    "-d '${local.event}'",
  ])
}
