action "hosting_instance_rotate" "passwords" {
  config {
    instance_id = hosting_instance.example.id
  }
}

# By hand: terraform apply -invoke=action.hosting_instance_rotate.passwords
