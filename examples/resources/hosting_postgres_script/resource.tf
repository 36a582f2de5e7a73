resource "hosting_postgres_script" "example" {
  instance_id = hosting_instance.example.id

  sql = <<-SQL
    CREATE TABLE IF NOT EXISTS orders (
      id         BIGSERIAL PRIMARY KEY,
      created_at TIMESTAMPTZ NOT NULL DEFAULT now()
    );
  SQL
}
