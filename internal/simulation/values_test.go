package simulation

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation/objchange"
)

type (
	value  = tftypes.Value
	object = map[string]value
)

// Functions of package objchange, which documents them.
var (
	null         = objchange.Null
	unknown      = objchange.Unknown
	composed     = objchange.Composed
	attributesOf = objchange.Attributes
	textOf       = objchange.Text
	attribute    = objchange.Attribute
	encode       = objchange.Encode
	proposed     = objchange.Proposed
	misplanned   = objchange.Misplanned
	departs      = objchange.Departs
	differences  = objchange.Differences
)

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

func sortedNames[T any](members map[string]T) []string { return slices.Sorted(maps.Keys(members)) }
