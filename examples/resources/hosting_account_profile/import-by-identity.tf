import {
  to = hosting_account_profile.example
  identity = {
    id = "acc-abc123"
  }
}
