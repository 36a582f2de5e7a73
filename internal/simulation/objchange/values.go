// Package objchange handles the values that a simulated CLI passes to a provider, before and
// after a call. It follows Terraform's internal/plans/objchange, as far as the provider's
// schemas need it: they have attributes and single nested ones.
package objchange

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"
)

type (
	// Value is a value of the protocol.
	Value  = tftypes.Value
	object = map[string]Value
)

// Null returns the null of a type.
func Null(t tftypes.Type) Value { return tftypes.NewValue(t, nil) }

// Unknown returns the unknown value of a type.
func Unknown(t tftypes.Type) Value { return tftypes.NewValue(t, tftypes.UnknownValue) }

// Composed returns a value in the CLI's form: with its strings in Unicode's form NFC.
func Composed(v Value) Value {
	v, err := tftypes.Transform(v, func(_ *tftypes.AttributePath, part Value) (Value, error) {
		if text := Text(part); !norm.NFC.IsNormalString(text) {
			return tftypes.NewValue(tftypes.String, norm.NFC.String(text)), nil
		}
		return part, nil
	})
	if err != nil {
		panic(err) // every part keeps its type
	}
	return v
}

// Attributes returns an object's attributes, or nil if it is null or unknown.
func Attributes(v Value) map[string]Value {
	var all object
	if v.IsKnown() && !v.IsNull() {
		_ = v.As(&all) // an object is read as one
	}
	return all
}

// Text returns a string, or "" if it is null or unknown.
func Text(v Value) string {
	var text string
	if v.IsKnown() && !v.IsNull() && v.Type().Is(tftypes.String) {
		_ = v.As(&text)
	}
	return text
}

// Attribute returns one of an object's attributes, by its path. It is nil if anything on
// the way is null.
func Attribute(v Value, path ...string) any {
	for _, name := range path {
		next, ok := Attributes(v)[name]
		if !ok {
			return nil
		}
		v = next
	}
	return Plain(v)
}

// Plain converts a known value to a form that encoding/json accepts.
func Plain(v Value) any {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}
	switch t := v.Type(); {
	case t.Is(tftypes.String):
		return Text(v)
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
			members[name] = Plain(member)
		}
		return members
	}
	var elements []Value
	_ = v.As(&elements)
	all := []any{}
	for _, element := range elements {
		all = append(all, Plain(element))
	}
	return all
}

// Encode returns a known value as JSON, in the form of a state.
func Encode(v Value) []byte {
	text, err := json.Marshal(Plain(v))
	if err != nil {
		panic(err) // plain's results can always be encoded
	}
	return text
}

// Proposed merges a configuration with the prior state. Configured attributes come from the
// configuration; attributes that are computed and not configured stay the same.
func Proposed(attributes []*tfprotov6.SchemaAttribute, prior, config map[string]Value) map[string]Value {
	merged := object{}
	for _, a := range attributes {
		t := a.ValueType()
		before, had := prior[a.Name]
		if !had {
			before = Null(t)
		}
		switch given := config[a.Name]; {
		case given.IsNull() && a.Computed:
			merged[a.Name] = before
		case a.NestedType != nil && given.IsKnown() && !given.IsNull():
			merged[a.Name] = nested(a.NestedType, before, given, func(before, given object) object {
				return Proposed(a.NestedType.Attributes, before, given)
			})
		default:
			merged[a.Name] = given
		}
	}
	return merged
}

// nested merges the content of a nested attribute: an object, or each one of a map.
func nested(of *tfprotov6.SchemaObject, before, given Value, merge func(before, given object) object) Value {
	if of.Nesting != tfprotov6.SchemaObjectNestingModeMap {
		return tftypes.NewValue(given.Type(), merge(Attributes(before), Attributes(given)))
	}
	elements, were := Attributes(given), Attributes(before)
	merged := object{}
	for name, element := range elements {
		merged[name] = element
		if !element.IsNull() && element.IsKnown() {
			merged[name] = tftypes.NewValue(element.Type(), merge(Attributes(were[name]), Attributes(element)))
		}
	}
	return tftypes.NewValue(given.Type(), merged)
}

// Misplanned returns an attribute whose plan the configuration does not allow, or "". A
// configured attribute must be planned as configured, and one that is neither configured
// nor computed must be null. A list of addresses, a script, variables and a repository may also
// be planned as in the state, if the two are spellings of the same.
func Misplanned(attributes []*tfprotov6.SchemaAttribute, prior, config, plan map[string]Value) string {
	for _, a := range attributes {
		given, planned := config[a.Name], plan[a.Name]
		switch {
		case !given.IsKnown(), given.IsNull() && a.Computed, planned.Equal(given):
		case a.WriteOnly && planned.IsNull():
		case a.Name == "cidrs" && planned.Equal(prior[a.Name]) && slices.Equal(canonicalAddresses(given), canonicalAddresses(planned)):
		case a.Name == "sql" && planned.Equal(prior[a.Name]) && slices.Equal(lines(given), lines(planned)):
		case a.Name == "env" && planned.Equal(prior[a.Name]) && unixLines(given) == unixLines(planned):
		case a.Name == "repo" && planned.Equal(prior[a.Name]): // in another form, or renamed at the code host
		case a.NestedType != nil && !given.IsNull() && planned.IsKnown() && !planned.IsNull():
			if wrong := misplannedIn(a.NestedType, given, planned); wrong != "" {
				return a.Name + "." + wrong
			}
		default:
			return fmt.Sprintf("%s: %s is configured and %s is planned", a.Name, Shown(given), Shown(planned))
		}
	}
	return ""
}

// lines returns the lines of a text, without white space at its ends.
func lines(text Value) []string {
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(Text(text), "\r\n", "\n")), "\n")
}

// canonicalAddresses returns the addresses of a set, each in one spelling.
func canonicalAddresses(set Value) []string {
	var elements []Value
	_ = set.As(&elements) // a set is read as one
	addresses := make([]string, 0, len(elements))
	for _, element := range elements {
		addresses = append(addresses, strings.TrimSuffix(strings.TrimSuffix(Text(element), "/32"), "/128"))
	}
	slices.Sort(addresses)
	return addresses
}

// unixLines returns a map of texts with the line endings of Unix.
func unixLines(variables Value) string { return strings.ReplaceAll(Shown(variables), `\r\n`, `\n`) }

func misplannedIn(of *tfprotov6.SchemaObject, given, planned Value) string {
	if of.Nesting != tfprotov6.SchemaObjectNestingModeMap {
		return Misplanned(of.Attributes, nil, Attributes(given), Attributes(planned))
	}
	elements, plans := Attributes(given), Attributes(planned)
	if len(elements) != len(plans) {
		return fmt.Sprintf("%s is configured and %s is planned", Shown(given), Shown(planned))
	}
	for _, name := range names(elements) {
		if wrong := Misplanned(of.Attributes, nil, Attributes(elements[name]), Attributes(plans[name])); wrong != "" {
			return name + "." + wrong
		}
	}
	return ""
}

// Departs returns the difference between a value and its plan, or "". A known value must be
// the same, and an unknown value may become anything. The result of an apply is final:
// nothing in it may be unknown.
func Departs(planned, is Value, final bool) string {
	switch {
	case !is.IsKnown() && final:
		return ": it is still unknown"
	case !is.IsKnown() && planned.IsKnown():
		return ": it was known and is unknown now"
	case !planned.IsKnown(), planned.Equal(is):
		return ""
	case !is.IsNull() && planned.Type().Is(tftypes.Set{}):
		return departsAsSet(planned, is, final)
	case planned.IsNull(), is.IsNull(), !planned.Type().Is(tftypes.Object{}) && !planned.Type().Is(tftypes.Map{}):
		if planned.IsFullyKnown() {
			return fmt.Sprintf(": %s was planned, and it is %s", Shown(planned), Shown(is))
		}
		return ""
	}
	before, after := Attributes(planned), Attributes(is)
	if len(before) != len(after) {
		return fmt.Sprintf(": %s was planned, and it is %s", Shown(planned), Shown(is))
	}
	for _, name := range names(before) {
		if wrong := Departs(before[name], after[name], final); wrong != "" {
			return "." + name + wrong
		}
	}
	return ""
}

// Differences returns the attributes in which two objects differ.
func Differences(a, b Value) []string {
	if a.IsNull() || b.IsNull() {
		return []string{"all of it"}
	}
	was, is := Attributes(a), Attributes(b)
	var all []string
	for _, name := range names(was) {
		if !was[name].Equal(is[name]) {
			all = append(all, fmt.Sprintf("%s: %s, then %s", name, Shown(was[name]), Shown(is[name])))
		}
	}
	return all
}

// Shown returns a value as text, for messages.
func Shown(v Value) string {
	if !v.IsKnown() {
		return "(unknown)"
	}
	return string(Encode(v))
}

func names[T any](members map[string]T) []string { return slices.Sorted(maps.Keys(members)) }

// departsAsSet is Departs for sets: each element must be possible in the other set.
func departsAsSet(planned, is Value, final bool) string {
	var before, after []Value
	_, _ = planned.As(&before), is.As(&after) // sets are read as such
	matches := func(p, v Value) bool { return Departs(p, v, final) == "" }
	for _, p := range before {
		if !slices.ContainsFunc(after, func(v Value) bool { return matches(p, v) }) {
			return fmt.Sprintf(": %s was planned as an element, and it is %s", Shown(p), Shown(is))
		}
	}
	for _, v := range after {
		if !slices.ContainsFunc(before, func(p Value) bool { return matches(p, v) }) {
			return fmt.Sprintf(": the element %s was not planned", Shown(v))
		}
	}
	return ""
}
