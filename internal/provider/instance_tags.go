package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// tagsAll are an instance's tags with the provider's default ones, unknown while one
// of its own is.
func tagsAll(own types.Set, defaultTags []string) types.Set {
	if !allKnown(own) {
		return types.SetUnknown(types.StringType)
	}
	return setOf(union(elementsOf(own), defaultTags), types.SetUnknown(types.StringType))
}

// ownTags are those of a record's tags that are the instance's own: all but the
// default ones, and those of them that its configuration names as well.
func ownTags(recorded []string, prior types.Set, defaultTags []string) []string {
	named := elementsOf(prior)
	return slices.DeleteFunc(slices.Clone(recorded), func(tag string) bool {
		return slices.Contains(defaultTags, tag) && !slices.Contains(named, tag)
	})
}

// allKnown tells whether a set and each of its elements is known, or null.
func allKnown(set types.Set) bool {
	return !set.IsUnknown() && !slices.ContainsFunc(set.Elements(), func(v attr.Value) bool { return v.IsUnknown() })
}
