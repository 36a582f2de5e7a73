# What the account pays a month, such as "9.00 EUR".
data "hosting_billing" "active" {
  status = "active"
}

output "price_per_month" {
  value = [
    for currency in toset(data.hosting_billing.active.subscriptions[*].currency) :
    format("%.2f %s", sum([for s in data.hosting_billing.active.subscriptions : s.price_cents if s.currency == currency]) / 100, currency)
  ]
}
