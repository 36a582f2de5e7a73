output "signature" {
  value = provider::hosting::webhook_signature(jsonencode({ type = "ready" }), "the endpoint's secret")
  # "sha256=904253991b55db5c1bfe1aa571fd407b592220498b738eacbee827f39cc8d872"
}
