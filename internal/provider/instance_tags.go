package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// tagsAll returns the union of an instance's tags and the provider's default tags. It is
// unknown if any of them is unknown.
func tagsAll(own, defaultTags types.Set) types.Set {
	if !allKnown(own) || !allKnown(defaultTags) {
		return types.SetUnknown(types.StringType)
	}
	return setOf(union(elementsOf(own), elementsOf(defaultTags)), types.SetUnknown(types.StringType))
}

// ownTags returns the recorded tags that belong to the argument tags: those that the
// configuration names, and those that another client has added since. It excludes the
// provider's default tags, and those that were default tags when the model was last
// written.
func ownTags(recorded []string, before instanceModel, defaultTags types.Set) []string {
	named, there, defaults := elementsOf(before.Tags), elementsOf(before.TagsAll), elementsOf(defaultTags)
	return slices.DeleteFunc(slices.Clone(recorded), func(tag string) bool {
		return !slices.Contains(named, tag) && (slices.Contains(there, tag) || slices.Contains(defaults, tag))
	})
}

// allKnown reports whether a set and all of its elements are known. Null counts as known.
func allKnown(set types.Set) bool {
	return !set.IsUnknown() && !slices.ContainsFunc(set.Elements(), func(v attr.Value) bool { return v.IsUnknown() })
}
