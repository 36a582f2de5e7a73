// Package hclcli is a small Terraform that runs in the process of a test. It applies plain
// configurations with a provider, over the provider's protocol, and works in a bubble of
// testing/synctest.
//
// It knows resources, data sources, ephemeral resources, terraform_data, variables with
// defaults, locals, outputs, count, for_each, depends_on, ignore_changes,
// create_before_destroy, import blocks, aliases of providers and the provider's functions. It
// follows Terraform in what a provider can notice: each plan and each apply has its own
// provider process, references decide the order, a data source is read during the apply if
// something that it depends on changes, and results are checked against the plan.
package hclcli
