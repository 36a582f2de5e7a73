package instance

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// tagsAll returns the union of an instance's tags and the provider's default tags. It is
// unknown if any of them is unknown.
func tagsAll(own, defaultTags types.Set) types.Set {
	if !attributes.AllKnown(own) || !attributes.AllKnown(defaultTags) {
		return types.SetUnknown(types.StringType)
	}
	return attributes.SetOf(attributes.Union(attributes.ElementsOf(own), attributes.ElementsOf(defaultTags)), types.SetUnknown(types.StringType))
}

// ownTags returns the recorded tags that belong to the argument tags: those that the
// configuration names, and those that another client has added since. It excludes the
// provider's default tags, and those that were default tags when the model was last
// written.
func ownTags(recorded []string, before instanceModel, defaultTags types.Set) []string {
	named, there, defaults := attributes.ElementsOf(before.Tags), attributes.ElementsOf(before.TagsAll), attributes.ElementsOf(defaultTags)
	return slices.DeleteFunc(slices.Clone(recorded), func(tag string) bool {
		return !slices.Contains(named, tag) && (slices.Contains(there, tag) || slices.Contains(defaults, tag))
	})
}
