package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// tagsAll are an instance's tags with the provider's default ones, unknown while one
// of either is.
func tagsAll(own, defaultTags types.Set) types.Set {
	if !allKnown(own) || !allKnown(defaultTags) {
		return types.SetUnknown(types.StringType)
	}
	return setOf(union(elementsOf(own), elementsOf(defaultTags)), types.SetUnknown(types.StringType))
}

// ownTags are those of a record's tags that are the instance's own: those that its
// configuration names, and those that somebody has added since. The provider's
// default ones are not among them, nor those that were default ones when the model
// was last written.
func ownTags(recorded []string, before instanceModel, defaultTags types.Set) []string {
	named, there, defaults := elementsOf(before.Tags), elementsOf(before.TagsAll), elementsOf(defaultTags)
	return slices.DeleteFunc(slices.Clone(recorded), func(tag string) bool {
		return !slices.Contains(named, tag) && (slices.Contains(there, tag) || slices.Contains(defaults, tag))
	})
}

// allKnown tells whether a set and each of its elements is known, or null.
func allKnown(set types.Set) bool {
	return !set.IsUnknown() && !slices.ContainsFunc(set.Elements(), func(v attr.Value) bool { return v.IsUnknown() })
}
