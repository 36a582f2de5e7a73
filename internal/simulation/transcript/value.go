package transcript

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// describe returns the parts of a value that a transcript needs.
func describe(name string, v tftypes.Value) Value {
	d := Value{Name: name, Text: text(v)}
	if v.IsNull() {
		d.Text = "null"
		return d
	}
	d.addNulls("", v)
	return d
}

// addNulls adds the paths of unknown and null parts. Nulls inside a null are left out.
func (d *Value) addNulls(path string, v tftypes.Value) {
	switch {
	case !v.IsKnown():
		d.Unknown = append(d.Unknown, path)
		return
	case v.IsNull():
		d.Null = append(d.Null, path)
		return
	case !v.Type().Is(tftypes.Object{}) && !v.Type().Is(tftypes.Map{}):
		return
	}
	var members map[string]tftypes.Value
	_ = v.As(&members) // it is one of both
	for _, name := range slices.Sorted(maps.Keys(members)) {
		d.addNulls(strings.TrimPrefix(path+"."+name, "."), members[name])
	}
}

// text is the same for equal values, in whatever order a set's elements come.
func text(v tftypes.Value) string {
	switch {
	case !v.IsKnown():
		return "unknown"
	case v.IsNull():
		return "null"
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		var members map[string]tftypes.Value
		_ = v.As(&members)
		parts := make([]string, 0, len(members))
		for _, name := range slices.Sorted(maps.Keys(members)) {
			parts = append(parts, fmt.Sprintf("%q: %s", name, text(members[name])))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case v.Type().Is(tftypes.Set{}), v.Type().Is(tftypes.List{}), v.Type().Is(tftypes.Tuple{}):
		var elements []tftypes.Value
		_ = v.As(&elements)
		parts := make([]string, 0, len(elements))
		for _, element := range elements {
			parts = append(parts, text(element))
		}
		if v.Type().Is(tftypes.Set{}) {
			slices.Sort(parts)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return v.String()
}

// pathText returns an attribute's path with dots.
func pathText(path *tftypes.AttributePath) string {
	var parts []string
	for _, step := range path.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			parts = append(parts, string(step))
		case tftypes.ElementKeyString:
			parts = append(parts, string(step))
		default:
			parts = append(parts, "*")
		}
	}
	return strings.Join(parts, ".")
}
