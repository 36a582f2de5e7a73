// Package operations is the table of what a customer can do with the service. The REST
// routes and the MCP tools are made from it, and it names the pages of the portal.
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

// Operation is something that a customer can do with the service.
type Operation struct {
	Name   string
	Effect Effect
	// Job is the operation of the job that it starts; "" if it starts none.
	Job string
	// Run carries the operation out. It is the zero value for what the portal alone does.
	Run Function
	// REST are the operation's methods and paths in the API's document, such as "GET /me".
	REST []string
	// Tool is the operation's MCP tool. Without a name there is none.
	Tool Tool
	// OtherTools are the names of tools of other operations that do this one too.
	OtherTools []string
	// Portal are the pages and forms that do the operation, such as "POST /portal/profile".
	Portal []string
	// Only is the one face that has the operation; "" if all have it.
	Only Face
	// Example is arguments by name. What depends on the account is left out: ids, a
	// repository, and confirm.
	Example map[string]any
}

// Face is a way to the service.
type Face string

// The faces.
const (
	REST   Face = "REST"
	MCP    Face = "MCP"
	Portal Face = "portal"
)

// Effect is what an operation does to existing things. An operation that only adds
// something does not destroy.
type Effect struct{ Reads, Destroys, Idempotent bool }

var (
	// reading changes nothing.
	reading = Effect{Reads: true}
	// doing adds or restarts something at each call. adding adds one thing, however often it
	// is called.
	doing  = Effect{}
	adding = Effect{Idempotent: true}
	// replacing removes or overwrites something, and leaves the same state however often it
	// is called. destroying removes more at each call.
	replacing  = Effect{Destroys: true, Idempotent: true}
	destroying = Effect{Destroys: true}
)

// Tool is what an MCP client reads about a tool.
type Tool struct {
	Name, Title, Text string
	// Run, if set, is called instead of the operation's function: the tool has other
	// arguments or another result than the REST routes.
	Run Function
	// Secrets says what in the result is secret; "" if nothing is.
	Secrets string
	// Fetches is true of a tool that reads something outside the service.
	Fetches bool
	// TakesNull is true of a tool for which null is a value. It empties a field.
	TakesNull bool
	// Enums are the values that an argument takes, by its name.
	Enums map[string][]any
}

// Service is the service, as one caller knows it.
type Service struct {
	*core.Service
	// Portal is the address of the portal, where checkouts are opened.
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

// ofAccount makes a Function of what core does without arguments, and ofInstance of what it
// does with an instance alone.
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

// None is no arguments, and no result.
type None struct{}

// Markdown is a result that is a text.
type Markdown string

// HasJob reports whether there are jobs of an operation, such as "create".
func HasJob(job string) bool {
	return job != "" && slices.ContainsFunc(All, func(o Operation) bool { return o.Job == job })
}

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

// ByTool returns the addresses in the API's document of what a tool does.
func ByTool(name string) []string {
	return addresses(func(o Operation) bool { return slices.Contains(o.Tools(), name) })
}

// ByPage returns the addresses in the API's document of what a page or form of the portal
// does.
func ByPage(page string) []string {
	return addresses(func(o Operation) bool { return slices.Contains(o.Portal, page) })
}

func addresses(belongs func(Operation) bool) (all []string) {
	for _, o := range All {
		if belongs(o) {
			all = append(all, o.REST...)
		}
	}
	return all
}

// one is a list of one.
func one(element string) []string { return []string{element} }
