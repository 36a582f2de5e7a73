package mcp

import (
	"context"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// tools adds tools to a server.
type tools struct {
	*face
	server *sdk.Server
}

// An effect is what a tool does to what is there, as its annotations tell. The protocol
// calls destructive what does not only add.
type effect struct{ reads, destroys, idempotent bool }

var (
	// reading changes nothing.
	reading = effect{reads: true}
	// doing adds or restarts something anew at each call, and adding adds one thing however
	// often it is called.
	doing  = effect{}
	adding = effect{idempotent: true}
	// replacing takes away or overwrites what was there, and leaves one state however often
	// it is called; destroying takes more away at each call.
	replacing  = effect{destroys: true, idempotent: true}
	destroying = effect{destroys: true}
)

// about is what a client is told of a tool.
type about struct {
	name, title, text string
	effect            effect
	// secrets says what of the result is secret; "" where nothing is.
	secrets string
	// fetches tells that the tool reads what is not the service's own.
	fetches bool
	// empties tells that null is an argument: it empties what it is sent for.
	empties bool
	// words are the values that an argument takes.
	words map[string][]any
}

// secretMeta marks a tool whose results hold secrets. The protocol has no annotation of
// its own for that, so its title and its description say it too.
const secretMeta = "hosting/returnsSecrets"

func (a about) tool() *sdk.Tool {
	t := &sdk.Tool{
		Name: a.name, Title: a.title, Description: a.text,
		Annotations: &sdk.ToolAnnotations{
			ReadOnlyHint: a.effect.reads, DestructiveHint: &a.effect.destroys, IdempotentHint: a.effect.idempotent, OpenWorldHint: &a.fetches,
		},
	}
	if a.secrets != "" {
		t.Title += " (returns secrets)"
		t.Description += " The result holds secrets: " + a.secrets + ". Do not log or repeat them."
		t.Meta = sdk.Meta{secretMeta: true}
	}
	t.Annotations.Title = t.Title
	return t
}

// add adds a tool. Its arguments are the fields of In, and its result is structured
// content as Out has it.
func add[In, Out any](t tools, a about, do func(context.Context, In) (Out, error)) {
	tool := a.tool()
	arguments := argumentsOf[In](a)
	tool.InputSchema = arguments
	t.confirmed[a.name] = slices.Contains(arguments.Required, "confirm")
	sdk.AddTool(t.server, tool, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		out, err := attempt(ctx, t.face, in, do)
		if err != nil {
			err = core.ProblemOf(err)
		}
		return nil, out, err
	})
}

// attempt carries out a call whose panic is its error: the protocol's library calls tools
// where nobody else would catch one.
func attempt[In, Out any](ctx context.Context, f *face, in In, do func(context.Context, In) (Out, error)) (out Out, err error) {
	defer rescue.Error(f.Logger, "call a tool", &err)
	return do(ctx, in)
}

// argumentsOf is the schema of a tool's arguments.
func argumentsOf[In any](a about) *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic("mcp: " + a.name + ": " + err.Error()) // the types are ours, and a test adds every tool
	}
	if !a.empties {
		withoutNull(schema)
	}
	for name, values := range a.words {
		words := schema.Properties[name]
		if words.Items != nil {
			words = words.Items
		}
		words.Enum = values
	}
	return schema
}

// withoutNull makes a schema, at any depth, one that null does not fit. The library lets
// null stand for what is left out, which the REST API refuses.
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

// none is no arguments, and nothing to tell.
type none struct{}

// onInstance are the arguments of a tool that concerns one instance.
type onInstance struct {
	InstanceID string `json:"instance_id" jsonschema:"the id of the instance"`
}
