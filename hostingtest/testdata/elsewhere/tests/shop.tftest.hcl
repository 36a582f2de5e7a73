run "made" {
  variables {
    name = "shop"
  }

  assert {
    condition     = output.status == "running"
    error_message = "The instance does not run."
  }
}

run "renamed" {
  variables {
    name = "store"
  }

  assert {
    condition     = output.name == "store"
    error_message = "The instance was not renamed."
  }
}
