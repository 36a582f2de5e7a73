data "hosting_locations" "all" {}
