output "pooled" {
  value = provider::hosting::pooled_url("postgresql://owner:secret@shop.example:5432/main")
  # "postgresql://owner:secret@shop.example:6432/main"
}
