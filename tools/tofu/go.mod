// This module builds the OpenTofu CLI that the acceptance tests run beside
// Terraform. It is a module of its own, so that OpenTofu's dependencies never
// meet the provider's.
module github.com/instance-hosting/terraform-provider-hosting/tools/tofu

go 1.26.6

godebug (
	tlsmlkem=0
	winsymlink=0
)

tool github.com/opentofu/opentofu/cmd/tofu

require github.com/opentofu/opentofu v1.12.6

// OpenTofu builds against its own fork of HCL; a dependency's replace
// directives do not apply here, so it is repeated.
replace github.com/hashicorp/hcl/v2 v2.20.1 => github.com/opentofu/hcl/v2 v2.20.2-0.20251021132045-587d123c2828
