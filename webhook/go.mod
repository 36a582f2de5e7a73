module github.com/instance-hosting/terraform-provider-hosting/webhook

go 1.21.0
