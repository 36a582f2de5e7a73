package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// secretMeta marks a tool whose results contain secrets. The protocol has no annotation
// for that, so the tool's title and description say so too.
const secretMeta = "hosting/returnsSecrets"

// toolOf describes the tool of an operation. The tool's arguments are the fields of the
// function's argument, and its structured content is the function's result.
func toolOf(o operations.Operation) *sdk.Tool {
	function := o.ToolFunction()
	t := &sdk.Tool{
		Name: o.Tool.Name, Title: o.Tool.Title, Description: o.Tool.Text,
		Annotations: &sdk.ToolAnnotations{
			ReadOnlyHint: o.Effect.Reads, DestructiveHint: &o.Effect.Destroys, IdempotentHint: o.Effect.Idempotent, OpenWorldHint: &o.Tool.Fetches,
		},
		InputSchema: argumentsOf(o.Tool, function.In),
	}
	if function.Out != reflect.TypeFor[operations.Markdown]() {
		t.OutputSchema = schemaOf(function.Out)
	}
	if o.Tool.Secrets != "" {
		t.Title += " (returns secrets)"
		t.Description += " The result holds secrets: " + o.Tool.Secrets + ". Do not log or repeat them."
		t.Meta = sdk.Meta{secretMeta: true}
	}
	t.Annotations.Title = t.Title
	return t
}

// addTool adds the tool of an operation to a server.
func (f *face) addTool(server *sdk.Server, o operations.Operation) {
	function := o.ToolFunction()
	f.confirmed[o.Tool.Name] = function.Confirms()
	sdk.AddTool(server, toolOf(o), func(ctx context.Context, request *sdk.CallToolRequest, arguments json.RawMessage) (*sdk.CallToolResult, any, error) {
		if question, err := f.ask(o, request, arguments); question != nil || err != nil {
			return question, nil, err
		}
		result, err := f.attempt(ctx, function, arguments)
		if unwritten := (*core.Unwritten)(nil); errors.As(err, &unwritten) {
			return nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
		}
		if err != nil {
			return nil, nil, core.ProblemOf(err)
		}
		if text, ok := result.(operations.Markdown); ok {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil, nil
		}
		return nil, result, nil
	})
}

// attempt carries out a call and returns a panic as an error, because the protocol's
// library calls tools without a recover.
func (f *face) attempt(ctx context.Context, function operations.Function, arguments json.RawMessage) (result any, err error) {
	defer rescue.Error(f.Logger, "call a tool", &err)
	return function.Call(ctx, operations.Service{Service: f.Service, Portal: f.portal(ctx)}, func(into any) error {
		if err := json.Unmarshal(arguments, into); err != nil {
			return core.Refuse(core.InvalidRequest, "%s", err)
		}
		return nil
	})
}

// argumentsOf returns the schema of a tool's arguments.
func argumentsOf(t operations.Tool, in reflect.Type) *jsonschema.Schema {
	schema := schemaOf(in)
	if t.TakesNull {
		for _, property := range schema.Properties {
			withoutTypeArray(property)
		}
	} else {
		withoutNull(schema)
	}
	for _, name := range t.Lacks {
		delete(schema.Properties, name)
		schema.PropertyOrder = slices.DeleteFunc(schema.PropertyOrder, func(one string) bool { return one == name })
	}
	for name, values := range t.Enums {
		property := schema.Properties[name]
		if property.Items != nil {
			property = property.Items
		}
		property.Enum = values
	}
	return schema
}

// schemaOf returns the schema of a type. It panics if there is none, which a test of
// every tool would find.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	schema, err := jsonschema.ForType(t, nil)
	if err != nil {
		panic("mcp: " + err.Error())
	}
	return schema
}

// withoutTypeArray describes several types by anyOf, because some clients refuse an array of
// types.
func withoutTypeArray(s *jsonschema.Schema) {
	for _, one := range s.Types {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: one})
	}
	s.Types = nil
}

// withoutNull makes a schema refuse null at any depth. The library allows null for
// omitted values, but the REST API refuses it.
func withoutNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if at := slices.Index(s.Types, "null"); at >= 0 {
		s.Types = slices.Delete(s.Types, at, at+1)
	}
	if len(s.Types) == 1 {
		s.Type, s.Types = s.Types[0], nil
	}
	for _, property := range s.Properties {
		withoutNull(property)
	}
	withoutNull(s.Items)
	withoutNull(s.AdditionalProperties)
}
