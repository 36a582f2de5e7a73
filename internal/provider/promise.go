package provider

import "github.com/hashicorp/terraform-plugin-go/tftypes"

// promised is what was read with each value that the plan knew as it was planned.
// A set or list with elements that were not known is as it was read. An element that
// was planned and not read is kept, with null for what was not known of it.
func promised(planned, read tftypes.Value) tftypes.Value {
	if planned.IsFullyKnown() {
		return planned
	}
	switch planned.Type().(type) {
	case tftypes.Object, tftypes.Map:
	default:
		return read
	}
	switch {
	case !planned.IsKnown():
		return read
	case !read.IsKnown() || read.IsNull():
		known, _ := withoutUnknowns(planned)
		return known
	}
	var known, there map[string]tftypes.Value
	if planned.As(&known) != nil || read.As(&there) != nil {
		return read // of another type, which Set has refused already
	}
	kept := map[string]tftypes.Value{}
	for name, value := range known {
		if found, ok := there[name]; ok {
			kept[name] = promised(value, found)
		} else {
			kept[name], _ = withoutUnknowns(value)
		}
	}
	return tftypes.NewValue(planned.Type(), kept)
}
