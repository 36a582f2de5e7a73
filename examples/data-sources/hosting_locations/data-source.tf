data "hosting_locations" "german" {
  country = "DE"
}
