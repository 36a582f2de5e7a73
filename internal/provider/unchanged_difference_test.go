package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"pgregory.net/rapid"

	"github.com/instance-hosting/terraform-provider-hosting/internal/pluginserver"
)

// Each answer of an unchangedServer is compared with the framework's answer, byte by byte
// except for the order of maps and sets. Both servers get the same requests and must send
// the same requests to the service.
//
// The flag -rapid.checks sets the number of cases; make differential plays 100,000.

// A drawnSchema is the schema of a resource type.
type drawnSchema struct {
	kind       string
	version    int64
	attributes []*tfprotov6.SchemaAttribute
	of         tftypes.Object
	identity   tftypes.Type // nil if the type has none
}

var drawnSchemas = sync.OnceValue(func() []drawnSchema {
	server := NewServer("difference")
	all, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	identities, err := server.GetResourceIdentitySchemas(context.Background(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		panic(err)
	}
	var schemas []drawnSchema
	for _, kind := range slices.Sorted(maps.Keys(all.ResourceSchemas)) {
		of := all.ResourceSchemas[kind]
		s := drawnSchema{kind: kind, version: of.Version, attributes: of.Block.Attributes, of: of.ValueType().(tftypes.Object)}
		if identity := identities.IdentitySchemas[kind]; identity != nil {
			s.identity = identity.ValueType()
		}
		schemas = append(schemas, s)
	}
	return schemas
})

// A side is one of the two servers, with a separate service.
type side struct {
	server   tfprotov6.ProviderServer
	service  *drawnService
	provider *hostingProvider
}

// A countedServer counts the calls that reach the framework.
type countedServer struct {
	pluginserver.ProviderServer
	left *map[string]int
}

func (s countedServer) count(call, kind string) { (*s.left)[call+" "+kind]++ }

func (s countedServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	s.count("read", req.TypeName)
	return s.ProviderServer.ReadResource(ctx, req)
}

func (s countedServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	s.count("plan", req.TypeName)
	return s.ProviderServer.PlanResourceChange(ctx, req)
}

// newSide returns a side with an unchangedServer before the framework, or with only the
// framework if left is nil. left counts the calls that reach the framework.
func newSide(records drawnRecords, left *map[string]int) side {
	service := &drawnService{records: records}
	p := newProvider("difference", WithTransport(service), WithRandom(rand.NewPCG(1, 2)))
	framework := frameworkServer(p)
	if left == nil {
		return side{framework, service, p}
	}
	server := newUnchangedServer(p, countedServer{framework, left})
	server.types = drawnTypes
	return side{server, service, p}
}

// drawnTypes returns the types of a server. It reads the schemas only once.
var drawnTypes = sync.OnceValue(resourceTypes)

var providerType = sync.OnceValue(func() tftypes.Object {
	all, err := NewServer("difference").GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	return all.Provider.ValueType().(tftypes.Object)
})

func dynamicOf(of tftypes.Type, v any) *tfprotov6.DynamicValue {
	encoded, err := tfprotov6.NewDynamicValue(of, tfValue(of, v))
	if err != nil {
		panic(err) // callers pass a value of that type
	}
	return &encoded
}

// sameAnswers sends a request to both sides and compares the answers. It does so at the
// same time, so that neither side has older readings than the other.
func sameAnswers[A any](t *rapid.T, sides [2]side, what string, ask func(tfprotov6.ProviderServer) (A, error), show func(A) any) {
	var got [2]any
	var errs [2]error
	var asking sync.WaitGroup
	for i, side := range sides {
		asking.Go(func() {
			answer, err := ask(side.server)
			if errs[i] = err; err == nil {
				got[i] = []any{show(answer), side.service.requests()}
			}
		})
	}
	asking.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if diff := cmp.Diff(got[0], got[1]); diff != "" {
		t.Fatalf("%s, against the answer of the framework (-want +got):\n%s", what, diff)
	}
}

// shownDiagnostics returns sorted lines, because the framework walks through a schema in
// any order.
func shownDiagnostics(all []*tfprotov6.Diagnostic) []string {
	var lines []string
	for _, d := range all {
		lines = append(lines, fmt.Sprintf("%s %s %s %s", d.Severity, d.Attribute, d.Summary, d.Detail))
	}
	slices.Sort(lines)
	return lines
}

// shown returns an answer's diagnostics and the rest of it. A CLI does not use the rest of
// an answer with an error, and it depends on the order of a map. So does the framework's
// first error if the state does not fit the model: only its existence can be compared.
func shown(all []*tfprotov6.Diagnostic, rest ...any) any {
	for _, d := range all {
		switch {
		case d.Summary == "Value Conversion Error":
			return "a value conversion error"
		case d.Severity == tfprotov6.DiagnosticSeverityError:
			rest = nil
		}
	}
	return append(rest, shownDiagnostics(all))
}

// shownValue returns a decoded value with the length of its encoding.
func shownValue(of tftypes.Type, encoded *tfprotov6.DynamicValue) any {
	if encoded == nil {
		return nil
	}
	v, err := encoded.Unmarshal(of)
	if err != nil {
		return err.Error()
	}
	return []any{len(encoded.MsgPack), encoded.JSON, parts(v)}
}

func shownIdentity(of tftypes.Type, identity *tfprotov6.ResourceIdentityData) any {
	if identity == nil {
		return nil
	}
	return shownValue(of, identity.IdentityData)
}

// parts converts a value into Go values that cmp can compare. Elements of sets are
// sorted.
func parts(v tftypes.Value) any {
	switch t := v.Type(); {
	case v.IsNull():
		return nil
	case !v.IsKnown():
		return "not known"
	case t.Is(tftypes.Object{}), t.Is(tftypes.Map{}):
		var members map[string]tftypes.Value
		_ = v.As(&members) // the type was checked
		all := object{}
		for name, member := range members {
			all[name] = parts(member)
		}
		return all
	case t.Is(tftypes.Set{}):
		var elements []tftypes.Value
		_ = v.As(&elements) // the type was checked
		all := []string{}   // a set has no order
		for _, element := range elements {
			all = append(all, fmt.Sprint(parts(element)))
		}
		slices.Sort(all)
		return all
	case t.Is(tftypes.Number):
		var n big.Float
		_ = v.As(&n) // the type was checked
		return n.String()
	}
	return v.String()
}

// A timeless hides the deadline of a test, because tests in a synctest bubble have none.
type timeless struct{ rapid.TB }

func TestUnchangedServerAnswersAsTheFramework(t *testing.T) {
	left, asked := map[string]int{}, map[string]int{}
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(timeless{t}, func(t *rapid.T) { compareSides(t, asked, &left) })
	})
	for _, drawn := range drawnSchemas() {
		kind := drawn.kind
		if kind == "hosting_postgres_script" {
			continue // a script has no identity, so the framework answers for it
		}
		for _, call := range []string{"read", "plan"} {
			of := call + " " + kind
			if direct := asked[of] - left[of]; asked[of] >= 100 && direct < asked[of]/10 {
				t.Errorf("%s: got %d of %d answers without the framework, want at least a tenth", of, direct, asked[of])
			} else {
				t.Logf("%s: %d of %d answers without the framework", of, direct, asked[of])
			}
		}
	}
}

// compareSides plays the calls of a CLI for up to three resources of one type.
func compareSides(t *rapid.T, asked map[string]int, left *map[string]int) {
	s := rapid.SampledFrom(drawnSchemas()).Draw(t, "type")
	var states []object
	records := drawnRecords{}
	for range rapid.IntRange(1, 3).Draw(t, "resources") {
		state := drawState(t, s.of)
		records.tell(t, s.kind, state)
		states = append(states, state)
	}
	sides := [2]side{newSide(records, nil), newSide(records, left)}

	provider := object{"base_url": "https://hosting.test/api/v1", "api_key": "a-key-of-the-tests"}
	if chance(t, 20, "default tags") {
		provider["default_tags"] = rapid.SampledFrom([]any{[]any{"team"}, []any{"a"}, []any{notKnown{}}, notKnown{}}).Draw(t, "default tags")
	}
	if chance(t, 3, "a provider that is not known yet") {
		provider["base_url"] = notKnown{}
	}
	if !chance(t, 2, "not configured") {
		deferral := chance(t, 20, "deferral is allowed")
		sameAnswers(t, sides, "configure", func(server tfprotov6.ProviderServer) (*tfprotov6.ConfigureProviderResponse, error) {
			return server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
				Config: dynamicOf(providerType(), provider), ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: deferral},
			})
		}, func(a *tfprotov6.ConfigureProviderResponse) any { return shownDiagnostics(a.Diagnostics) })
	}
	for _, side := range sides {
		if data := side.provider.configured.Load(); data != nil {
			data.Client.WaitForAccountID(t.Context()) // otherwise the id could arrive at any time
		}
	}
	for _, state := range states {
		compareResource(t, s, state, sides, func(call string) { asked[call+" "+s.kind]++ })
	}
}

func compareResource(t *rapid.T, s drawnSchema, state object, sides [2]side, count func(call string)) {
	config := drawConfig(t, s, state)
	encoded, private := dynamicOf(s.of, state), drawPrivate(t)
	identity, deferral := drawIdentity(t, s, state), chance(t, 20, "a resource may be deferred")

	count("read")
	sameAnswers(t, sides, "read", func(server tfprotov6.ProviderServer) (*tfprotov6.ReadResourceResponse, error) {
		return server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
			TypeName: s.kind, CurrentState: encoded, Private: bytes.Clone(private), CurrentIdentity: identity,
			ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: deferral},
		})
	}, func(a *tfprotov6.ReadResourceResponse) any {
		return shown(a.Diagnostics, shownValue(s.of, a.NewState), shownIdentity(s.identity, a.NewIdentity), string(a.Private), a.Deferred)
	})

	// A CLI plans only a valid configuration.
	validated, err := sides[0].server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: s.kind, Config: dynamicOf(s.of, config),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(validated.Diagnostics, func(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }) {
		return
	}

	count("plan")
	proposed := state
	switch {
	case chance(t, 3, "destroyed"):
		proposed = nil
	default:
		proposed = drawEdit(t, s.of, state, 10)
	}
	sameAnswers(t, sides, "plan", func(server tfprotov6.ProviderServer) (*tfprotov6.PlanResourceChangeResponse, error) {
		req := &tfprotov6.PlanResourceChangeRequest{
			TypeName: s.kind, PriorState: encoded, Config: dynamicOf(s.of, config),
			PriorPrivate: bytes.Clone(private), PriorIdentity: identity,
			ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: deferral},
		}
		req.ProposedNewState = encoded
		if !cmp.Equal(proposed, state) {
			req.ProposedNewState = dynamicOf(s.of, asAny(proposed))
		}
		return server.PlanResourceChange(t.Context(), req)
	}, func(a *tfprotov6.PlanResourceChangeResponse) any {
		var replaced []string
		for _, path := range a.RequiresReplace {
			replaced = append(replaced, path.String())
		}
		return shown(a.Diagnostics, shownValue(s.of, a.PlannedState), shownIdentity(s.identity, a.PlannedIdentity),
			string(a.PlannedPrivate), strings.Join(replaced, " "), a.Deferred)
	})
}

// asAny returns an object, or nil for null.
func asAny(o object) any {
	if o == nil {
		return nil
	}
	return o
}

// drawIdentity draws the identity that a CLI passes: that of the state, none, or a
// different one.
func drawIdentity(t *rapid.T, s drawnSchema, state object) *tfprotov6.ResourceIdentityData {
	of, identified := s.identity.(tftypes.Object)
	if !identified {
		return nil
	}
	identity := object{}
	for name := range of.AttributeTypes {
		identity[name] = state[name]
	}
	switch form := rapid.IntRange(0, 19).Draw(t, "identity"); form {
	case 0, 1, 2, 3:
		return nil
	case 4:
		return &tfprotov6.ResourceIdentityData{}
	case 5:
		return &tfprotov6.ResourceIdentityData{IdentityData: dynamicOf(of, nil)}
	case 6:
		return &tfprotov6.ResourceIdentityData{IdentityData: dynamicOf(of, drawEdit(t, of, identity, 100))}
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: dynamicOf(of, identity)}
}
