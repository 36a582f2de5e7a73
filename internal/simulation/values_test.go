package simulation

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"
)

// The values that a CLI passes to a provider, and their handling before and after a call.
// This follows Terraform's internal/plans/objchange, as far as the provider's schemas need
// it: they have attributes and single nested ones.

type (
	value  = tftypes.Value
	object = map[string]value
)

func null(t tftypes.Type) value    { return tftypes.NewValue(t, nil) }
func unknown(t tftypes.Type) value { return tftypes.NewValue(t, tftypes.UnknownValue) }

// composed returns a value in the CLI's form: with its strings in Unicode's form NFC.
func composed(v value) value {
	v, err := tftypes.Transform(v, func(_ *tftypes.AttributePath, part value) (value, error) {
		if text := textOf(part); !norm.NFC.IsNormalString(text) {
			return tftypes.NewValue(tftypes.String, norm.NFC.String(text)), nil
		}
		return part, nil
	})
	if err != nil {
		panic(err) // every part keeps its type
	}
	return v
}

// attributesOf returns an object's attributes, or nil if it is null or unknown.
func attributesOf(v value) object {
	var all object
	if v.IsKnown() && !v.IsNull() {
		_ = v.As(&all) // an object is read as one
	}
	return all
}

// textOf returns a string, or "" if it is null or unknown.
func textOf(v value) string {
	var text string
	if v.IsKnown() && !v.IsNull() && v.Type().Is(tftypes.String) {
		_ = v.As(&text)
	}
	return text
}

// attribute returns one of an object's attributes, by its path. It is nil if anything on
// the way is null.
func attribute(v value, path ...string) any {
	for _, name := range path {
		next, ok := attributesOf(v)[name]
		if !ok {
			return nil
		}
		v = next
	}
	return plain(v)
}

// configValue converts an argument of a block to a value. Missing members are null.
func configValue(t tftypes.Type, given any, resolve func(reference, tftypes.Type) value) value {
	switch given := given.(type) {
	case nil:
		return null(t)
	case value:
		return given
	case reference:
		return resolve(given, t)
	case string, bool:
		return tftypes.NewValue(t, given)
	case int:
		return tftypes.NewValue(t, big.NewFloat(float64(given)))
	case []string:
		elements := []value{}
		for _, element := range given {
			elements = append(elements, tftypes.NewValue(tftypes.String, element))
		}
		return tftypes.NewValue(t, elements)
	case map[string]any:
		members := object{}
		if o, ok := t.(tftypes.Object); ok {
			for name, of := range o.AttributeTypes {
				members[name] = configValue(of, given[name], resolve)
			}
		} else {
			for name, member := range given {
				members[name] = configValue(t.(tftypes.Map).ElementType, member, resolve)
			}
		}
		return tftypes.NewValue(t, members)
	}
	panic(fmt.Sprintf("a configuration cannot hold a %T", given))
}

// plain converts a known value to a form that encoding/json accepts.
func plain(v value) any {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}
	switch t := v.Type(); {
	case t.Is(tftypes.String):
		return textOf(v)
	case t.Is(tftypes.Bool):
		var b bool
		_ = v.As(&b)
		return b
	case t.Is(tftypes.Number):
		var n big.Float
		_ = v.As(&n)
		return json.Number(n.Text('f', -1))
	case t.Is(tftypes.Object{}), t.Is(tftypes.Map{}):
		members := map[string]any{}
		var all object
		_ = v.As(&all)
		for name, member := range all {
			members[name] = plain(member)
		}
		return members
	}
	var elements []value
	_ = v.As(&elements)
	all := []any{}
	for _, element := range elements {
		all = append(all, plain(element))
	}
	return all
}

// encode returns a known value as JSON, in the form of a state.
func encode(v value) []byte {
	text, err := json.Marshal(plain(v))
	if err != nil {
		panic(err) // plain's results can always be encoded
	}
	return text
}

// proposed merges a configuration with the prior state. Configured attributes come from the
// configuration; attributes that are computed and not configured stay the same.
func proposed(attributes []*tfprotov6.SchemaAttribute, prior, config object) object {
	merged := object{}
	for _, a := range attributes {
		t := a.ValueType()
		before, had := prior[a.Name]
		if !had {
			before = null(t)
		}
		switch given := config[a.Name]; {
		case given.IsNull() && a.Computed:
			merged[a.Name] = before
		case a.NestedType != nil && given.IsKnown() && !given.IsNull():
			merged[a.Name] = nested(a.NestedType, before, given, func(before, given object) object {
				return proposed(a.NestedType.Attributes, before, given)
			})
		default:
			merged[a.Name] = given
		}
	}
	return merged
}

// nested merges the content of a nested attribute: an object, or each one of a map.
func nested(of *tfprotov6.SchemaObject, before, given value, merge func(before, given object) object) value {
	if of.Nesting != tfprotov6.SchemaObjectNestingModeMap {
		return tftypes.NewValue(given.Type(), merge(attributesOf(before), attributesOf(given)))
	}
	elements, were := attributesOf(given), attributesOf(before)
	merged := object{}
	for name, element := range elements {
		merged[name] = element
		if !element.IsNull() && element.IsKnown() {
			merged[name] = tftypes.NewValue(element.Type(), merge(attributesOf(were[name]), attributesOf(element)))
		}
	}
	return tftypes.NewValue(given.Type(), merged)
}

// misplanned returns an attribute whose plan the configuration does not allow, or "". A
// configured attribute must be planned as configured, and one that is neither configured
// nor computed must be null. A list of addresses may also be planned as in the state, if
// the two are spellings of the same list.
func misplanned(attributes []*tfprotov6.SchemaAttribute, prior, config, plan object) string {
	for _, a := range attributes {
		given, planned := config[a.Name], plan[a.Name]
		switch {
		case !given.IsKnown(), given.IsNull() && a.Computed, planned.Equal(given):
		case a.WriteOnly && planned.IsNull():
		case a.Name == "cidrs" && planned.Equal(prior[a.Name]) && slices.Equal(canonicalAddresses(given), canonicalAddresses(planned)):
		case a.NestedType != nil && !given.IsNull() && planned.IsKnown() && !planned.IsNull():
			if wrong := misplannedIn(a.NestedType, given, planned); wrong != "" {
				return a.Name + "." + wrong
			}
		default:
			return fmt.Sprintf("%s: %s is configured and %s is planned", a.Name, shown(given), shown(planned))
		}
	}
	return ""
}

// canonicalAddresses returns the addresses of a set, each in one spelling.
func canonicalAddresses(set value) []string {
	var elements []value
	_ = set.As(&elements) // a set is read as one
	addresses := make([]string, 0, len(elements))
	for _, element := range elements {
		addresses = append(addresses, strings.TrimSuffix(textOf(element), "/32"))
	}
	slices.Sort(addresses)
	return addresses
}

func misplannedIn(of *tfprotov6.SchemaObject, given, planned value) string {
	if of.Nesting != tfprotov6.SchemaObjectNestingModeMap {
		return misplanned(of.Attributes, nil, attributesOf(given), attributesOf(planned))
	}
	elements, plans := attributesOf(given), attributesOf(planned)
	if len(elements) != len(plans) {
		return fmt.Sprintf("%s is configured and %s is planned", shown(given), shown(planned))
	}
	for _, name := range sortedNames(elements) {
		if wrong := misplanned(of.Attributes, nil, attributesOf(elements[name]), attributesOf(plans[name])); wrong != "" {
			return name + "." + wrong
		}
	}
	return ""
}

// departs returns the difference between a value and its plan, or "". A known value must be
// the same, and an unknown value may become anything. The result of an apply is final:
// nothing in it may be unknown.
func departs(planned, is value, final bool) string {
	switch {
	case !is.IsKnown() && final:
		return ": it is still unknown"
	case !is.IsKnown() && planned.IsKnown():
		return ": it was known and is unknown now"
	case !planned.IsKnown(), planned.Equal(is):
		return ""
	case planned.IsNull(), is.IsNull(), !planned.Type().Is(tftypes.Object{}) && !planned.Type().Is(tftypes.Map{}):
		if planned.IsFullyKnown() {
			return fmt.Sprintf(": %s was planned, and it is %s", shown(planned), shown(is))
		}
		return ""
	}
	before, after := attributesOf(planned), attributesOf(is)
	if len(before) != len(after) {
		return fmt.Sprintf(": %s was planned, and it is %s", shown(planned), shown(is))
	}
	for _, name := range sortedNames(before) {
		if wrong := departs(before[name], after[name], final); wrong != "" {
			return "." + name + wrong
		}
	}
	return ""
}

// differences returns the attributes in which two objects differ.
func differences(a, b value) []string {
	if a.IsNull() || b.IsNull() {
		return []string{"all of it"}
	}
	was, is := attributesOf(a), attributesOf(b)
	var all []string
	for _, name := range sortedNames(was) {
		if !was[name].Equal(is[name]) {
			all = append(all, fmt.Sprintf("%s: %s, then %s", name, shown(was[name]), shown(is[name])))
		}
	}
	return all
}

func shown(v value) string {
	if !v.IsKnown() {
		return "(unknown)"
	}
	return string(encode(v))
}

func sortedNames[T any](members map[string]T) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
