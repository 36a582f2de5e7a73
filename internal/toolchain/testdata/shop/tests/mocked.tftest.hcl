mock_provider "hosting" {}

override_data {
  target = data.hosting_instance.main
  values = { plan = "large" }
}

override_resource {
  target = hosting_instance.shop
  values = { host = "shop.example.com" }
}

run "takes_the_plan_of_the_other" {
  assert {
    condition     = hosting_instance.shop.plan == "large"
    error_message = "It does not take the plan of the instance main."
  }

  assert {
    condition     = output.url == "postgresql://owner@shop.example.com:6432/main"
    error_message = "The URL is not that of the pool."
  }
}
