data "hosting_instances" "all" {}
