# policy/allowlists.rego
# Nobody opens an instance to the internet.
package main

# Longer prefixes than these are fewer addresses; shorter ones are refused.
shortest_prefix := {"IPv4": 16, "IPv6": 32}

allowlists contains allowlist if {
	some allowlist in input.resource_changes
	allowlist.type == "hosting_allowlist"
	allowlist.change.after != null
}

deny contains message if {
	some allowlist in allowlists
	allowlist.change.after.cidrs == []
	message := sprintf("%s: an empty list opens the instance to the internet.", [allowlist.address])
}

deny contains message if {
	some allowlist in allowlists
	some cidr in allowlist.change.after.cidrs
	[address, prefix] := split(cidr, "/")
	shortest := shortest_prefix[family(address)]
	to_number(prefix) < shortest
	message := sprintf("%s: %s lets too many in, a prefix must be /%d or longer.", [allowlist.address, cidr, shortest])
}

# What is not known yet may be anything.
deny contains message if {
	some allowlist in allowlists
	walk(allowlist.change.after_unknown.cidrs, [_, true])
	message := sprintf("%s: its addresses are known only when it is applied.", [allowlist.address])
}

deny contains message if {
	some allowlist in allowlists
	allowlist.change.after.on_destroy == "open"
	message := sprintf("%s: on_destroy = \"open\" opens the instance when the list is destroyed.", [allowlist.address])
}

# An instance that no list is for lets everybody in.
deny contains message if {
	walk(input.configuration.root_module, [_, module])
	some instance in module.resources
	instance.type == "hosting_instance"
	listed := {reference |
		some allowlist in module.resources
		allowlist.type == "hosting_allowlist"
		walk(allowlist, [_, part])
		some reference in part.references
	}
	not instance.address in listed
	message := sprintf("%s: no hosting_allowlist beside it is for it, so that it is open to the internet.", [instance.address])
}

family(address) := "IPv6" if contains(address, ":")

else := "IPv4"
