output "signature" {
  value = provider::hosting::webhook_signature(jsonencode({ type = "ready" }), "the endpoint's secret")
}
