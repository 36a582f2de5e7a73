package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/pluginserver"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// A goldenCase is a resource or an action, and its configuration.
type goldenCase struct {
	kind    string
	from    string // the id to import what is in the state by; "" plans a creation
	state   object // what differs in the state from what was imported
	notes   object // what differs in its private state
	given   object // the configuration, or what differs in it from the state; nil destroys
	refresh bool   // only refreshes what is in the state
	second  object // if set, the configuration of a resource that is created before this one is destroyed
}

// TestGoldenChanges validates, plans and applies configurations for an account that has
// everything, and compares the diagnostics, the plan and the result with
// testdata/changes.*.golden. It also plans them if the service refuses the key, cannot
// be reached, or is not known yet.
func TestGoldenChanges(t *testing.T) {
	for name, changes := range changeCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			for _, change := range changes {
				var one strings.Builder
				synctest.Test(t, func(t *testing.T) { change.write(t, &one) })
				text.WriteString(normalIDs(one.String()))
			}
			mustBeGolden(t, "changes."+name+".golden", text.String())
		})
	}
}

// write writes what happens to a change.
func (c goldenCase) write(t *testing.T, to *strings.Builder) {
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	furnishMore(t, fake)
	service := failingService{next: fake}
	server := serverOf(t, &service, "key")
	defer service.tellWrites(to)
	fmt.Fprintf(to, "# %s %s %s", c.kind, c.from, shownConfig(c.given))
	if c.state != nil || c.notes != nil {
		fmt.Fprintf(to, ", the state has %s %s", jsonOf(c.state), jsonOf(c.notes))
	}
	to.WriteString("\n")
	now, config := c.begin(t, fake, server, to)
	if c.from != "" && now.state == nil {
		return // it cannot be imported
	}
	told := now.plan(t, server, config, to)
	if c.second != nil {
		fmt.Fprintf(to, "and another %s\n", shownConfig(c.second))
		other := existing{kind: c.kind}
		other.apply(t, server, c.second, other.plan(t, server, c.second, to), to)
		now.apply(t, server, config, told, to)
		return
	}
	now.apply(t, server, config, told, to)
	for _, other := range []struct {
		when   string
		server pluginserver.ProviderServer
	}{
		{"the key is refused", serverOf(t, http.HandlerFunc(refusesAll), "key")},
		{"no service", serverOf(t, http.NotFoundHandler(), "key")},
		{"no client", serverOf(t, fake, notKnown{})},
	} {
		var text strings.Builder
		now.plan(t, other.server, config, &text)
		for line := range strings.Lines(text.String()) {
			if strings.HasPrefix(line, "  error") || strings.HasPrefix(line, "  warning") {
				fmt.Fprintf(to, "  %s:%s", other.when, line)
			}
		}
	}
}

// begin imports what is in the state, and returns it with its configuration.
func (c goldenCase) begin(t *testing.T, fake *fakeservice.Service, server pluginserver.ProviderServer, to *strings.Builder) (existing, object) {
	t.Helper()
	if c.from == "" {
		return existing{kind: c.kind}, c.given
	}
	now := imported(t, server, c.kind, strings.Replace(c.from, "wh-own", fake.Webhooks()[0].ID, 1), to)
	if now.state == nil {
		return now, nil
	}
	now.state = overlaid(now.state, c.state)
	now.addNotes(t, c.notes)
	if c.given == nil {
		return now, nil
	}
	return now, overlaid(now.arguments(t), c.given)
}

// furnishMore is furnish with a second database, with extensions, with an instance i-big that has memory for
// apps, and with one that has few engines. The account's id is acc-own.
func furnishMore(t *testing.T, fake *fakeservice.Service) {
	t.Helper()
	fake.SetAccountID("acc-own")
	furnish(t, fake)
	if !fake.AddDatabase("i-shop", "orders") {
		t.Fatal("the database was not added")
	}
	for _, database := range []string{"", "orders"} {
		if !fake.AddExtension("i-shop", fakeservice.Extension{Name: "pgcrypto", Database: database, Version: "1.6"}) {
			t.Fatal("the extension was not added")
		}
	}
	fake.AddInstance(fakeservice.Instance{ID: "i-bare", Name: "bare", Engines: map[string]*fakeservice.Engine{"postgres": {}}})
	fake.AddInstance(fakeservice.Instance{ID: "i-big", Name: "big", Plan: "large", Engines: map[string]*fakeservice.Engine{"postgres": {}, "auth": {}, "apps": {MemoryMB: 2048}}})
}

// existing is a resource in the state, or one to create if state is nil.
type existing struct {
	kind     string
	state    object
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// imported imports and reads a resource. It writes what is reported and the state.
func imported(t *testing.T, server pluginserver.ProviderServer, kind, id string, to *strings.Builder) existing {
	t.Helper()
	of := schemaOf(t, kind).ValueType()
	none := existing{kind: kind}
	answer, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: kind, ID: id})
	if err != nil {
		t.Fatal(err)
	}
	writeTold(to, answer.Diagnostics)
	if len(answer.ImportedResources) == 0 {
		return none
	}
	one := answer.ImportedResources[0]
	read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: kind, CurrentState: one.State, CurrentIdentity: one.Identity, Private: one.Private})
	if err != nil {
		t.Fatal(err)
	}
	writeTold(to, read.Diagnostics)
	state, ok := decoded(t, of, read.NewState).(object)
	if !ok {
		return none
	}
	return existing{kind, state, read.Private, read.NewIdentity}
}

// addNotes sets keys of the private state.
func (e *existing) addNotes(t *testing.T, notes object) {
	t.Helper()
	private := notesOf(t, e.private)
	for key, note := range notes {
		private[key] = []byte(jsonOf(note))
	}
	e.private = private.Encoded()
}

// arguments returns the attributes of the state that a configuration may set.
func (e existing) arguments(t *testing.T) object {
	t.Helper()
	all := object{}
	for _, a := range schemaOf(t, e.kind).Block.Attributes {
		if (a.Required || a.Optional) && !a.WriteOnly && e.state[a.Name] != nil {
			all[a.Name] = e.state[a.Name]
		}
	}
	return all
}

// proposed returns the state that Terraform proposes for a configuration.
func (e existing) proposed(t *testing.T, config object) object {
	t.Helper()
	if config == nil {
		return nil
	}
	all := maps.Clone(config)
	for _, a := range schemaOf(t, e.kind).Block.Attributes {
		if a.WriteOnly {
			delete(all, a.Name)
		} else if all[a.Name] == nil && a.Computed {
			all[a.Name] = e.state[a.Name]
		}
	}
	return all
}

// plan validates and plans a configuration. It writes what is reported, and which attributes
// the plan sets. It returns nil if there is an error, or if the resource is replaced.
func (e existing) plan(t *testing.T, server pluginserver.ProviderServer, config object, to *strings.Builder) *tfprotov6.PlanResourceChangeResponse {
	t.Helper()
	of := schemaOf(t, e.kind).ValueType()
	if config != nil {
		valid, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
			TypeName: e.kind, Config: dynamicOf(of, config), ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		writeSorted(to, valid.Diagnostics)
		if hasError(valid.Diagnostics) {
			return nil
		}
	}
	told, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: e.kind, PriorState: dynamicOf(of, orNil(e.state)), ProposedNewState: dynamicOf(of, orNil(e.proposed(t, config))), Config: dynamicOf(of, orNil(config)),
		PriorPrivate: e.private, PriorIdentity: e.identity,
	})
	if err != nil {
		t.Fatal(err)
	}
	writeSorted(to, told.Diagnostics)
	writeChanges(to, "plans", e.state, decoded(t, of, told.PlannedState))
	writeNotes(t, to, e.private, told.PlannedPrivate)
	if len(told.RequiresReplace) > 0 {
		fmt.Fprintf(to, "  replaces because of %v\n", told.RequiresReplace)
	}
	if hasError(told.Diagnostics) || len(told.RequiresReplace) > 0 {
		return nil
	}
	return told
}

// apply applies a plan. It writes what is reported and the result.
func (e existing) apply(t *testing.T, server pluginserver.ProviderServer, config object, told *tfprotov6.PlanResourceChangeResponse, to *strings.Builder) {
	t.Helper()
	if told == nil || strings.Contains(shownConfig(config), unknownText) {
		return
	}
	of := schemaOf(t, e.kind).ValueType()
	made, err := server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: e.kind, PriorState: dynamicOf(of, orNil(e.state)), PlannedState: told.PlannedState, Config: dynamicOf(of, orNil(config)),
		PlannedPrivate: told.PlannedPrivate, PlannedIdentity: told.PlannedIdentity,
	})
	if err != nil {
		t.Fatal(err)
	}
	writeSorted(to, made.Diagnostics)
	writeChanges(to, "makes", e.state, decoded(t, of, made.NewState))
	writeNotes(t, to, e.private, made.Private)
}

// read refreshes a resource. It writes what is reported and the result.
func (e existing) read(t *testing.T, server pluginserver.ProviderServer, to *strings.Builder) {
	t.Helper()
	of := schemaOf(t, e.kind).ValueType()
	read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: e.kind, CurrentState: dynamicOf(of, orNil(e.state)), CurrentIdentity: e.identity, Private: e.private})
	if err != nil {
		t.Fatal(err)
	}
	writeSorted(to, read.Diagnostics)
	writeChanges(to, "reads", e.state, decoded(t, of, read.NewState))
	writeNotes(t, to, e.private, read.Private)
}

// writeNotes writes what differs in the private state.
func writeNotes(t *testing.T, to *strings.Builder, before, after []byte) {
	t.Helper()
	was, now := notesOf(t, before), notesOf(t, after)
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if string(was[key]) != string(now[key]) {
			fmt.Fprintf(to, "  notes %s = %s\n", key, now[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(was)) {
		if _, stays := now[key]; !stays {
			fmt.Fprintf(to, "  removes the note %s\n", key)
		}
	}
}

func notesOf(t *testing.T, private []byte) providertest.PrivateState {
	t.Helper()
	notes := providertest.PrivateState{}
	if err := json.Unmarshal(private, &notes); err != nil && len(private) > 0 {
		t.Fatal(err)
	}
	return notes
}

// writeChanges writes the attributes that differ from the state before.
func writeChanges(to *strings.Builder, what string, before object, after any) {
	now, _ := after.(object)
	if now == nil {
		fmt.Fprintf(to, "  %s nothing\n", what)
		return
	}
	changed := object{}
	for name := range maps.Keys(now) {
		if before == nil || jsonOf(before[name]) != jsonOf(now[name]) {
			changed[name] = now[name]
		}
	}
	for name := range before {
		if now[name] == nil {
			changed[name] = nil
		}
	}
	fmt.Fprintf(to, "  %s %s\n", what, jsonOf(changed))
}

// writeSorted writes diagnostics in the order of their text, because the framework goes
// through a schema in any order.
func writeSorted(to *strings.Builder, told []*tfprotov6.Diagnostic) {
	writeTold(to, slices.SortedFunc(slices.Values(told), func(a, b *tfprotov6.Diagnostic) int { return strings.Compare(a.Summary+a.Detail, b.Summary+b.Detail) }))
}

func hasError(told []*tfprotov6.Diagnostic) bool {
	return slices.ContainsFunc(told, func(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError })
}

// orNil returns an untyped nil for a nil object.
func orNil(o object) any {
	if o == nil {
		return nil
	}
	return o
}

func schemaOf(t *testing.T, kind string) *tfprotov6.Schema {
	t.Helper()
	schemas, err := NewServer("changes").GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return schemas.ResourceSchemas[kind]
}

// overlaid returns an object with some members replaced. A nil member is removed.
func overlaid(o, by object) object {
	all := maps.Clone(o)
	for name, value := range by {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	return all
}

// shownConfig returns a configuration as JSON, with "(unknown)" for what is unknown.
func shownConfig(config object) string {
	if config == nil {
		return "is destroyed"
	}
	return jsonOf(withUnknownText(config))
}

func withUnknownText(v any) any {
	switch v := v.(type) {
	case notKnown:
		return unknownText
	case object:
		all := object{}
		for name, member := range v {
			all[name] = withUnknownText(member)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, element := range v {
			all[i] = withUnknownText(element)
		}
		return all
	}
	return v
}

const unknownText = "(unknown)"
