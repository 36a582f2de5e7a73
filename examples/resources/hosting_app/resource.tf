resource "hosting_app" "example" {
  instance_id = hosting_instance.example.id
  name        = "web"
  repo        = "acme/shop"
  branch      = "main"
  port        = 3000
  health_path = "/healthz"
  public      = true
  links       = ["auth"]

  env = {
    NEXT_PUBLIC_AUTH_URL      = hosting_instance.example.auth_url
    NEXT_PUBLIC_AUTH_ANON_KEY = hosting_instance.example.auth_anon_key
  }

  # Never kept in the state; change the version to send it again.
  secret_env_wo         = { PAYMENT_TOKEN = var.payment_token }
  secret_env_wo_version = 1

  # The import and the first build, and each later build.
  timeouts = {
    create = "45m"
    update = "45m"
  }
}

variable "payment_token" {
  type      = string
  ephemeral = true
}
