variable "payment_token" {
  type      = string
  ephemeral = true
}

# The statements contain a secret, so they are kept out of the state. Change the
# version to run them again.
resource "hosting_postgres_script" "payment_token" {
  instance_id    = hosting_instance.example.id
  sql_wo         = <<-SQL
    CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO settings (name, value) VALUES ('payment_token', '${var.payment_token}')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
  SQL
  sql_wo_version = 1
}
