package base

import "github.com/hashicorp/terraform-plugin-go/tftypes"

// promised returns the value that was read, with every value that the plan knew as it was
// planned. A set or list with unknown elements is returned as read. An attribute or map
// element that was planned but not read is kept, with null for its unknown values.
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
		return read // of a different type, which Set has already refused
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
