# policy/production.rego
# What is tagged production keeps its protection, and a plan that costs money has been
# agreed on.
package main

agreed_plans := {"free", "small"}

deny contains message if {
	some resource in input.resource_changes
	resource.change.after.deletion_protection == false
	is_production
	message := sprintf("%s: deletion_protection must stay true in production.", [resource.address])
}

deny contains message if {
	some instance in input.resource_changes
	instance.type == "hosting_instance"
	plan := instance.change.after.plan
	not plan in agreed_plans
	message := sprintf("%s: the plan %s is none of %s.", [instance.address, plan, concat(", ", agreed_plans)])
}

is_production if {
	some instance in input.resource_changes
	instance.type == "hosting_instance"
	"production" in instance.change.after.tags_all
}
