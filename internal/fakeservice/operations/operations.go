// Package operations is the table of the operations of the REST API and the MCP server.
// Their routes and tools are made from it.
//
// To add an operation, add a row to All and the function that carries the row out.
package operations

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// Operation is an operation of a customer.
type Operation struct {
	Name   string
	Effect Effect
	// Job is the operation of the job that it starts, or "".
	Job string
	// Run carries the operation out.
	Run Function
	// REST has the operation's methods and paths in the API document, such as "GET /me". An
	// operation without them is only a tool.
	REST []string
	// Tool is the operation's MCP tool. Without a name the operation has no tool.
	Tool Tool
	// OtherTools has the tools of other operations that also do this one.
	OtherTools []string
	// Example has arguments by name, except those that depend on the account: ids, a
	// repository, and confirm.
	Example map[string]any
}

// Effect is the effect of an operation on existing things. An operation that only adds
// something does not destroy.
type Effect struct{ Reads, Destroys, Idempotent bool }

var (
	// reading changes nothing.
	reading = Effect{Reads: true}
	// doing adds or restarts something at each call. adding adds one thing, however often
	// it is called.
	doing  = Effect{}
	adding = Effect{Idempotent: true}
	// replacing removes or overwrites something, and leaves the same state however often
	// it is called. destroying removes more at each call.
	replacing  = Effect{Destroys: true, Idempotent: true}
	destroying = Effect{Destroys: true}
)

// Tool describes an MCP tool to clients.
type Tool struct {
	Name, Title, Text string
	// Run, if set, is called instead of the operation's function: the tool has other
	// arguments or another result than the REST routes.
	Run Function
	// Asks is the question that a person is asked before the tool runs, or "". %s is the
	// name of the instance.
	Asks string
	// Secrets names the secrets in the result, or is "".
	Secrets string
	// Fetches reports whether the tool reads something outside the service.
	Fetches bool
	// TakesNull reports whether null is a valid value, which empties a field.
	TakesNull bool
	// Lacks has the arguments of the function that the tool does not take.
	Lacks []string
	// Enums has the valid values of arguments, by name.
	Enums map[string][]any
}

// Service is the service for one caller.
type Service struct {
	*core.Service
	// Portal is the address of the portal, for checkouts.
	Portal string
}

// Function carries an operation out.
type Function struct {
	// In and Out are the types of the arguments and of the result.
	In, Out reflect.Type
	// Call reads the arguments with decode and carries the operation out.
	Call func(ctx context.Context, s Service, decode func(into any) error) (any, error)
}

// run makes a Function of a function with typed arguments.
func run[In, Out any](do func(context.Context, Service, In) (Out, error)) Function {
	return Function{reflect.TypeFor[In](), reflect.TypeFor[Out](), func(ctx context.Context, s Service, decode func(any) error) (any, error) {
		var in In
		if err := decode(&in); err != nil {
			return nil, err
		}
		return do(ctx, s, in)
	}}
}

// ofAccount makes a Function of a method of core without arguments, and ofInstance one of
// a method whose only argument is an instance.
func ofAccount[Out any](do func(*core.Service, context.Context) (Out, error)) Function {
	return run(func(ctx context.Context, s Service, _ None) (Out, error) { return do(s.Service, ctx) })
}

func ofInstance[Out any](do func(*core.Service, context.Context, string) (Out, error)) Function {
	return run(func(ctx context.Context, s Service, in onInstance) (Out, error) {
		return do(s.Service, ctx, in.InstanceID)
	})
}

// Arguments returns the names of the arguments.
func (f Function) Arguments() []string {
	var names []string
	for _, field := range reflect.VisibleFields(f.In) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Confirms reports whether the function takes the instance's id a second time, as confirm.
func (f Function) Confirms() bool { return slices.Contains(f.Arguments(), "confirm") }

// IDName returns the name of the argument that is {id} in a path: instance_id for
// /instances/{id}/apps.
func IDName(path string) string {
	collection, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return strings.TrimSuffix(collection, "s") + "_id"
}

// None stands for no arguments, and for no result.
type None struct{}

// Markdown is a result in Markdown.
type Markdown string

// ToolFunction returns the function that the operation's tool calls.
func (o Operation) ToolFunction() Function {
	if o.Tool.Run.Call != nil {
		return o.Tool.Run
	}
	return o.Run
}

// Tools returns the names of the tools that do the operation, its own first.
func (o Operation) Tools() []string {
	if o.Tool.Name == "" {
		return o.OtherTools
	}
	return append([]string{o.Tool.Name}, o.OtherTools...)
}

// ByTool returns the addresses in the API document of a tool's operations.
func ByTool(name string) (all []string) {
	for _, o := range All {
		if slices.Contains(o.Tools(), name) {
			all = append(all, o.REST...)
		}
	}
	return all
}

// one returns a list with one element.
func one(element string) []string { return []string{element} }
