variable "payment_token" {
  type      = string
  ephemeral = true
}

resource "hosting_app" "shop" {
  instance_id = hosting_instance.example.id
  name        = "shop"
  repo        = "acme/shop"
  branch      = "release"
  port        = 8080
  health_path = "/live"
  memory_mb   = 512
  public      = true

  # The service documents no variables for a link, so env passes the auth engine's URL and key.
  links = ["auth"]
  env = {
    NEXT_PUBLIC_AUTH_URL      = hosting_instance.example.auth_url
    NEXT_PUBLIC_AUTH_ANON_KEY = hosting_instance.example.auth_anon_key
  }

  # Kept out of the state. After you change the token, raise the version to send it.
  secret_env_wo         = { PAYMENT_TOKEN = var.payment_token }
  secret_env_wo_version = 1

  # If a value changes, the newest commit of the branch is built and deployed.
  redeploy_triggers = { release = "2026-11-22" }
}
