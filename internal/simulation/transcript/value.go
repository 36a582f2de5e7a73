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
	d.addParts("", v)
	return d
}

// addParts adds the paths of the parts that are not null.
func (d *Value) addParts(path string, v tftypes.Value) {
	switch {
	case !v.IsKnown():
		d.Unknown = append(d.Unknown, path)
	case v.IsNull():
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		members, before := membersOf(v), len(d.Sets)+len(d.Unknown)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			d.addParts(below(path, name), members[name])
		}
		if len(d.Sets)+len(d.Unknown) == before && path != "" {
			d.Sets = append(d.Sets, path)
		}
	default:
		d.Sets = append(d.Sets, path)
	}
}

func below(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// membersOf returns the members of an object or a map, or nil if it is null or unknown.
func membersOf(v tftypes.Value) (members map[string]tftypes.Value) {
	if v.IsKnown() && !v.IsNull() {
		_ = v.As(&members) // it is one of both
	}
	return members
}

// departures lists the parts of a proposed state that are not as expected: as the configuration
// sets them, or as in the prior state if it does not set them. A CLI departs from it where an argument
// has been taken out that the provider does not compute.
func departures(prior, config, proposed tftypes.Value) []string {
	if config.IsNull() { // the object is to be deleted
		return departuresFrom(config, "object", proposed)
	}
	return departuresBelow("", prior, config, proposed)
}

func departuresBelow(path string, prior, config, proposed tftypes.Value) (all []string) {
	switch {
	case config.IsNull():
		return departuresFrom(prior, path, proposed)
	case !config.Type().Is(tftypes.Object{}) && !config.Type().Is(tftypes.Map{}), !config.IsKnown(), !proposed.IsKnown(), proposed.IsNull():
		return departuresFrom(config, path, proposed)
	}
	was, configured, is := membersOf(prior), membersOf(config), membersOf(proposed)
	for _, name := range slices.Sorted(maps.Keys(configured)) {
		part := configured[name]
		before, now := tftypes.NewValue(part.Type(), nil), tftypes.NewValue(part.Type(), nil)
		if v, ok := was[name]; ok {
			before = v
		}
		if v, ok := is[name]; ok {
			now = v
		}
		all = append(all, departuresBelow(below(path, name), before, part, now)...)
	}
	for _, name := range slices.Sorted(maps.Keys(is)) { // of a map
		if _, ok := configured[name]; !ok {
			all = append(all, "another "+below(path, name))
		}
	}
	return all
}

func departuresFrom(expected tftypes.Value, path string, proposed tftypes.Value) []string {
	switch is := text(proposed); is {
	case text(expected):
		return nil
	case "null", "unknown":
		return []string{is + " " + path}
	default:
		return []string{"another " + path}
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
		members := membersOf(v)
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
