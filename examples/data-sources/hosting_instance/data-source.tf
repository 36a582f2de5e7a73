data "hosting_instance" "shop" {
  name = "shop"
}
