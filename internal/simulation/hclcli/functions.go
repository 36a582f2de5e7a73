package hclcli

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation/objchange"
)

// The built-in functions that configurations use.
var builtIn = map[string]function.Function{
	"chomp": stdlib.ChompFunc, "concat": stdlib.ConcatFunc, "format": stdlib.FormatFunc, "join": stdlib.JoinFunc,
	"jsonencode": stdlib.JSONEncodeFunc, "keys": stdlib.KeysFunc, "length": stdlib.LengthFunc, "lower": stdlib.LowerFunc,
	"merge": stdlib.MergeFunc, "range": stdlib.RangeFunc, "replace": stdlib.ReplaceFunc, "trimspace": stdlib.TrimSpaceFunc,
	"upper":  stdlib.UpperFunc,
	"tolist": stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)), "tomap": stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
	"tonumber": stdlib.MakeToFunc(cty.Number), "toset": stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
	"tostring":   stdlib.MakeToFunc(cty.String),
	"jsondecode": stdlib.JSONDecodeFunc,
}

// addFunctions adds the built-in functions and those of the provider.
func (c *CLI) addFunctions(ctx context.Context, server tfprotov6.ProviderServer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.functions = map[string]function.Function{}
	for name, f := range builtIn {
		c.functions[name] = f
	}
	for name, f := range schemas().Functions {
		c.functions["provider::hosting::"+name] = providerFunction(ctx, server, name, f)
	}
}

func providerFunction(ctx context.Context, server tfprotov6.ProviderServer, name string, f *tfprotov6.Function) function.Function {
	var parameters []function.Parameter
	for _, p := range f.Parameters {
		parameters = append(parameters, function.Parameter{Name: p.Name, Type: ctyType(p.Type), AllowNull: p.AllowNullValue})
	}
	return function.New(&function.Spec{
		Params: parameters, Type: function.StaticReturnType(ctyType(f.Return.Type)),
		Impl: func(arguments []cty.Value, returned cty.Type) (cty.Value, error) {
			var encoded []*tfprotov6.DynamicValue
			for i, v := range arguments {
				encoded = append(encoded, dynamic(v, parameters[i].Type))
			}
			answer, err := server.CallFunction(ctx, &tfprotov6.CallFunctionRequest{Name: name, Arguments: encoded})
			if err == nil && answer.Error != nil {
				err = fmt.Errorf("%s", answer.Error.Text)
			}
			if err != nil {
				return cty.UnknownVal(returned), err
			}
			return decoded(answer.Result, returned), nil
		},
	})
}

// Attribute returns an attribute of an object in the state as JSON has it, or nil.
func (c *CLI) Attribute(address string, path ...string) any {
	o := c.object(address)
	if o == nil {
		return nil
	}
	if o.kind == "terraform_data" {
		return nil
	}
	return objchange.Attribute(wire(o.value, schemaOfKind("resource", o.kind)), path...)
}

// Text returns the state as JSON, with the values of its outputs.
func (c *CLI) Text() string {
	var text strings.Builder
	for _, address := range c.State() {
		o := c.object(address)
		encoded, err := ctyjson.Marshal(o.value, schemaOfKind("resource", o.kind).value)
		if err != nil {
			panic(err) // a state is wholly known
		}
		fmt.Fprintf(&text, "%s = %s\n", address, encoded)
	}
	return text.String()
}

// Output returns an output as JSON has it, or nil.
func (c *CLI) Output(name string) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.outputs[name]
	if !ok || v.IsNull() {
		return nil
	}
	encoded, err := ctyjson.Marshal(v, v.Type())
	if err != nil {
		panic(err)
	}
	return strings.Trim(string(encoded), `"`)
}

// pathText returns a path as people write it, such as engines["postgres"].memory_mb.
func pathText(path *tftypes.AttributePath) string {
	var text strings.Builder
	for _, step := range path.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			if text.Len() > 0 {
				text.WriteByte('.')
			}
			text.WriteString(string(step))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&text, "[%q]", string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&text, "[%d]", int64(step))
		}
	}
	return text.String()
}
