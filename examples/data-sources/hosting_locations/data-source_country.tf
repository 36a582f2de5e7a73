# The locations in Germany.
data "hosting_locations" "german" {
  country = "DE"
}

output "regions" {
  value = data.hosting_locations.german.locations[*].id
}
