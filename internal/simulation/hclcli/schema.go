package hclcli

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider"
)

// schemas asks the provider for its schemas once.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	all, err := provider.NewServer("hclcli").GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	return all
})

// WarmUp does the work that is done once in a process. It must be called outside of a bubble.
func WarmUp() { schemas() }

// A schema describes the arguments of a block.
type schema struct {
	version    int64
	protocol   []*tfprotov6.SchemaAttribute
	wire       tftypes.Type // nil for terraform_data
	value      cty.Type
	attributes map[string]attribute
}

type attribute struct {
	config             cty.Type // with optional attributes in nested objects
	required, computed bool
}

var terraformData = schema{
	value: cty.Object(map[string]cty.Type{
		"id": cty.String, "input": cty.DynamicPseudoType, "output": cty.DynamicPseudoType, "triggers_replace": cty.DynamicPseudoType,
	}),
	attributes: map[string]attribute{
		"id": {config: cty.String, computed: true}, "output": {config: cty.DynamicPseudoType, computed: true},
		"input": {config: cty.DynamicPseudoType}, "triggers_replace": {config: cty.DynamicPseudoType},
	},
}

func schemaOf(b *block) schema { return schemaOfKind(b.mode, b.kind) }

func schemaOfKind(mode, kind string) schema {
	all := schemas()
	switch mode {
	case "data":
		return made(all.DataSourceSchemas[kind])
	case "ephemeral":
		return made(all.EphemeralResourceSchemas[kind])
	}
	if kind == "terraform_data" {
		return terraformData
	}
	return made(all.ResourceSchemas[kind])
}

func made(s *tfprotov6.Schema) schema {
	one := schema{version: s.Version, protocol: s.Block.Attributes, wire: s.ValueType(), attributes: map[string]attribute{}}
	one.value = ctyType(one.wire)
	for _, a := range s.Block.Attributes {
		one.attributes[a.Name] = attribute{configType(a), a.Required, a.Computed}
	}
	if len(s.Block.BlockTypes) > 0 {
		panic("the provider has no nested blocks")
	}
	return one
}

func configType(a *tfprotov6.SchemaAttribute) cty.Type {
	if a.NestedType == nil {
		return ctyType(a.Type)
	}
	members := map[string]cty.Type{}
	var optional []string
	for _, inner := range a.NestedType.Attributes {
		members[inner.Name] = configType(inner)
		if !inner.Required {
			optional = append(optional, inner.Name)
		}
	}
	t := cty.ObjectWithOptionalAttrs(members, optional)
	switch a.NestedType.Nesting {
	case tfprotov6.SchemaObjectNestingModeMap:
		return cty.Map(t)
	case tfprotov6.SchemaObjectNestingModeList:
		return cty.List(t)
	case tfprotov6.SchemaObjectNestingModeSet:
		return cty.Set(t)
	}
	return t
}

func ctyType(t tftypes.Type) cty.Type {
	text, err := t.MarshalJSON() //nolint:staticcheck // both libraries know this form
	if err != nil {
		panic(err) // a schema's type can always be written
	}
	read, err := ctyjson.UnmarshalType(text)
	if err != nil {
		panic(err)
	}
	return read
}

// dynamic encodes a value for the provider.
func dynamic(v cty.Value, t cty.Type) *tfprotov6.DynamicValue {
	encoded, err := msgpack.Marshal(v, t)
	if err != nil {
		panic(err) // the value has that type
	}
	return &tfprotov6.DynamicValue{MsgPack: encoded}
}

// decoded decodes a value of the provider. nil is null.
func decoded(d *tfprotov6.DynamicValue, t cty.Type) cty.Value {
	if d == nil {
		return cty.NullVal(t)
	}
	v, err := msgpack.Unmarshal(d.MsgPack, t)
	if err != nil {
		panic(err) // the provider under test always encodes values of its schemas
	}
	return v
}

// wire converts a value to the form of package objchange.
func wire(v cty.Value, s schema) tftypes.Value {
	w, err := dynamic(v, s.value).Unmarshal(s.wire)
	if err != nil {
		panic(err)
	}
	return w
}

func unwired(w tftypes.Value, s schema) cty.Value {
	d, err := tfprotov6.NewDynamicValue(s.wire, w)
	if err != nil {
		panic(err)
	}
	return decoded(&d, s.value)
}
