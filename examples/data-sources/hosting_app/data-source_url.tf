# The URL of an app that another configuration manages.
data "hosting_instance" "of_shop" {
  name = "shop"
}

data "hosting_app" "shop" {
  instance_id = data.hosting_instance.of_shop.id
  name        = "web"
}

output "shop_url" {
  value = data.hosting_app.shop.url
}
