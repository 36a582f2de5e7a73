output "psql" {
  value = provider::hosting::libpq_env("postgresql://owner:secret@shop.example:5432/main", "/etc/ssl/shop-ca.pem")
  # {
  #   PGDATABASE    = "main"
  #   PGHOST        = "shop.example"
  #   PGPASSWORD    = "secret"
  #   PGPORT        = "5432"
  #   PGSSLMODE     = "verify-full"
  #   PGSSLROOTCERT = "/etc/ssl/shop-ca.pem"
  #   PGUSER        = "owner"
  # }
}
