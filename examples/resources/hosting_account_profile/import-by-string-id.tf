import {
  to = hosting_account_profile.example
  id = "acc-abc123"
}
