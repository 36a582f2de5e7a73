// Package transcript records the calls that a CLI makes to a provider, and compares the
// calls of two CLIs.
//
// A recorder is between the CLI and the provider. A transcript contains the parts of each
// call that distinguish two CLIs: its name and position, which arguments a configuration
// sets and which of them are unknown, and which values are equal to earlier ones. It does
// not contain the values themselves, so two runs that differ only in ids and times have
// equal transcripts. It names no attribute that the configuration leaves out, so a new one
// changes no transcript.
package transcript

import (
	"context"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A Call is one call of a provider about a resource, a data source, an ephemeral resource,
// a list or an action.
type Call struct {
	// Process numbers the provider's processes, in the order in which they began.
	Process int
	Method  string
	Type    string // such as hosting_app
	// Given and Returned are the values of the call and of its answer, in the protocol's
	// order.
	Given, Returned []Value
	// Says lists other features of the call, such as a capability of the CLI.
	Says []string `json:",omitempty"`
	// Failed reports whether the answer contains an error.
	Failed bool `json:",omitempty"`
}

// A Value is a value of a call.
type Value struct {
	Name string // such as prior
	// Text is equal for equal values, and "" if there is no value.
	Text string
	// Sets and Unknown are the paths of the parts that are set and known, or unknown.
	Sets, Unknown []string `json:",omitempty"`
}

// A Server is a provider with all parts of the protocol that are used here.
type Server interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// A recorder is a provider that reports its calls.
type recorder struct {
	Server
	write   func(Call)
	schemas func() *tfprotov6.GetProviderSchemaResponse
}

// Record returns a provider that forwards calls to another one, and calls write with each
// call after its answer. Calls may be concurrent.
func Record(server Server, write func(Call)) Server {
	return &recorder{Server: server, write: write, schemas: sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
		all, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
		if err != nil {
			return &tfprotov6.GetProviderSchemaResponse{}
		}
		return all
	})}
}

// tell records a call.
func (r *recorder) tell(method, kind string, given, returned []Value, diagnostics []*tfprotov6.Diagnostic, says ...string) {
	failed := slices.ContainsFunc(diagnostics, func(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError })
	says = slices.DeleteFunc(says, func(text string) bool { return text == "" })
	r.write(Call{Method: method, Type: kind, Given: given, Returned: returned, Failed: failed, Says: says})
}

// resource returns a value of a resource type.
func (r *recorder) resource(name, kind string, encoded *tfprotov6.DynamicValue) Value {
	return valueOf(name, r.schemas().ResourceSchemas[kind], encoded)
}

// when returns a text if a condition is true, and "" otherwise.
func when(so bool, text string) string {
	if so {
		return text
	}
	return ""
}

func valueOf(name string, schema *tfprotov6.Schema, encoded *tfprotov6.DynamicValue) Value {
	if schema == nil || encoded == nil {
		return Value{Name: name}
	}
	v, err := encoded.Unmarshal(schema.ValueType())
	if err != nil {
		return Value{Name: name, Text: "cannot be decoded: " + err.Error()}
	}
	return describe(name, v)
}

// decoded returns a value of a resource type, or the null of that type.
func (r *recorder) decoded(kind string, encoded *tfprotov6.DynamicValue) tftypes.Value {
	schema := r.schemas().ResourceSchemas[kind]
	if encoded != nil {
		if v, err := encoded.Unmarshal(schema.ValueType()); err == nil {
			return v
		}
	}
	return tftypes.NewValue(schema.ValueType(), nil)
}

func identityOf(identity *tfprotov6.ResourceIdentityData) Value {
	const name = "identity"
	if identity == nil || identity.IdentityData == nil {
		return Value{Name: name}
	}
	// All attributes of an identity are strings.
	v, err := identity.IdentityData.Unmarshal(tftypes.Map{ElementType: tftypes.String})
	if err != nil {
		return Value{Name: name, Text: "cannot be decoded: " + err.Error()}
	}
	return describe(name, v)
}

func privateOf(private []byte) Value { return Value{Name: "private", Text: string(private)} }
