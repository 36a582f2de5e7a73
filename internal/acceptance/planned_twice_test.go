package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A plannedTwice calls a provider as Terraform 1.17 does with -minimal-refresh. That
// version cannot be installed here. It plans a resource from its state. If that changes
// anything, it reads the resource and plans it again, in the same process and with the
// prior state both times (terraform, internal/terraform/node_resource_plan_instance.go).
type plannedTwice struct {
	t       *testing.T
	fleet   *fleet
	server  tfprotov6.ProviderServer
	kind    string
	private []byte
	told    []string
}

func (p *plannedTwice) encode(v tftypes.Value) *tfprotov6.DynamicValue {
	p.t.Helper()
	return dynamic(p.t, v)
}

// plan plans from a prior state, and returns the planned state and its private state.
func (p *plannedTwice) plan(prior, config tftypes.Value, private []byte) (tftypes.Value, []byte) {
	p.t.Helper()
	planned, err := p.server.PlanResourceChange(p.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: p.kind, PriorState: p.encode(prior), ProposedNewState: p.encode(p.fleet.proposed(p.t, p.kind, prior, config)), Config: p.encode(config), PriorPrivate: private,
	})
	must(p.t, err == nil, "%v", err)
	for _, d := range planned.Diagnostics {
		p.told = append(p.told, d.Severity.String()+": "+d.Summary)
	}
	if planned.PlannedState == nil {
		return prior, planned.PlannedPrivate
	}
	after, err := planned.PlannedState.Unmarshal(prior.Type())
	must(p.t, err == nil, "%v", err)
	return after, planned.PlannedPrivate
}

// twice plans as Terraform 1.17 does.
func (p *plannedTwice) twice(prior, config tftypes.Value) (after tftypes.Value, private []byte) {
	p.t.Helper()
	after, private = p.plan(prior, config, p.private)
	if after.Equal(prior) {
		return after, private
	}
	prior, private = p.read(prior)
	return p.plan(prior, config, private)
}

// read reads a prior state, and returns the current one and its private state.
func (p *plannedTwice) read(prior tftypes.Value) (tftypes.Value, []byte) {
	p.t.Helper()
	read, err := p.server.ReadResource(p.t.Context(), &tfprotov6.ReadResourceRequest{TypeName: p.kind, CurrentState: p.encode(prior), Private: p.private})
	must(p.t, err == nil, "%v", err)
	for _, d := range read.Diagnostics {
		p.told = append(p.told, d.Severity.String()+": "+d.Summary)
	}
	now, err := read.NewState.Unmarshal(prior.Type())
	must(p.t, err == nil, "%v", err)
	return now, read.Private
}

// proposed returns the state that a CLI proposes. It has the configured values. A
// computed value that is not configured is the prior one, or unknown.
func (f *fleet) proposed(t *testing.T, kind string, prior, config tftypes.Value) tftypes.Value {
	t.Helper()
	var configured, before map[string]tftypes.Value
	must(t, config.As(&configured) == nil, "the configuration: got %s, want an object", config)
	if !prior.IsNull() {
		must(t, prior.As(&before) == nil, "the prior state: got %s, want an object", prior)
	}
	values := map[string]tftypes.Value{}
	for _, attribute := range f.schemas[kind].Block.Attributes {
		values[attribute.Name] = configured[attribute.Name]
		if !attribute.Computed || !values[attribute.Name].IsNull() {
			continue
		}
		if values[attribute.Name] = before[attribute.Name]; prior.IsNull() {
			values[attribute.Name] = tftypes.NewValue(attribute.ValueType(), tftypes.UnknownValue)
		}
	}
	return tftypes.NewValue(config.Type(), values)
}

// with returns a configuration with one argument set to a value.
func with(t *testing.T, config tftypes.Value, name string, value tftypes.Value) tftypes.Value {
	t.Helper()
	var values map[string]tftypes.Value
	must(t, config.As(&values) == nil, "the configuration: got %s, want an object", config)
	changed := map[string]tftypes.Value{}
	for key, present := range values {
		changed[key] = present
	}
	changed[name] = value
	return tftypes.NewValue(config.Type(), changed)
}

// A CLI may plan a resource twice in one process.
func TestPlannedTwice(t *testing.T) {
	t.Parallel()
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	for kind, change := range map[string]struct {
		argument string
		value    tftypes.Value
	}{
		"hosting_allowlist":       {"cidrs", tftypes.NewValue(tftypes.Set{ElementType: tftypes.String}, []tftypes.Value{text("198.51.100.0/24")})},
		"hosting_console_mode":    {"mode", text("rw")},
		"hosting_auth_settings":   {"site_url", text("https://other.example")},
		"hosting_account_profile": {"company", text("Other Ltd")},
	} {
		for _, noted := range []bool{true, false} { // false: a state of the previous edition
			t.Run(fmt.Sprint(kind, " noted ", noted), func(t *testing.T) {
				t.Parallel()
				f := newFleet(t, 1, kind)
				none := tftypes.NewValue(f.states[kind].Type(), nil)
				config := f.configurationOf(t, kind, f.states[kind])
				changed := with(t, config, change.argument, change.value)
				begin := func() *plannedTwice {
					p := &plannedTwice{t: t, fleet: f, server: configured(t, f.Server), kind: kind}
					if noted {
						read, err := p.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: kind, CurrentState: p.encode(f.states[kind])})
						must(t, err == nil, "%v", err)
						p.private = read.Private
						p.server = configured(t, f.Server)
					}
					return p
				}
				for name, play := range map[string]func(*plannedTwice){
					"unchanged": func(p *plannedTwice) { p.twice(f.states[kind], config) },
					"changed":   func(p *plannedTwice) { p.twice(f.states[kind], changed) },
					"tainted":   func(p *plannedTwice) { p.plan(none, config, nil) },
					"replaced": func(p *plannedTwice) { // as by -replace: no prior state, and the planned private state
						_, private := p.twice(f.states[kind], config)
						p.plan(none, config, private)
					},
					"changed, then the same process once more": func(p *plannedTwice) {
						p.twice(f.states[kind], changed)
						p.twice(f.states[kind], changed)
					},
				} {
					p := begin()
					play(p)
					if all := strings.Join(p.told, "\n"); strings.Contains(all, "ERROR") {
						t.Errorf("%s: got %s, want no error", name, all)
					}
				}
			})
		}
	}
}

// An object that was planned to be kept, and is found to be gone, is planned again.
func TestPlannedTwiceOfWhatIsGone(t *testing.T) {
	t.Parallel()
	unprotected := tftypes.NewValue(tftypes.Bool, false)
	for kind, c := range map[string]struct {
		argument string
		value    tftypes.Value
		remove   func(*fleet) bool
	}{
		"hosting_postgres_database": {"deletion_protection", unprotected, func(f *fleet) bool { return f.RemoveDatabase(f.ids[0], "orders") }},
		"hosting_app":               {"deletion_protection", unprotected, func(f *fleet) bool { return f.RemoveApp(f.ids[0], "web") }},
		"hosting_allowlist": {
			"cidrs", tftypes.NewValue(tftypes.Set{ElementType: tftypes.String}, []tftypes.Value{}),
			func(f *fleet) bool { return f.RemoveInstance(f.ids[0]) },
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 1, kind)
			p := &plannedTwice{t: t, fleet: f, server: configured(t, f.Server), kind: kind}
			_, p.private = p.read(f.states[kind]) // its private state is noted
			p.server = configured(t, f.Server)
			must(t, c.remove(f), "nothing was removed")
			p.twice(f.states[kind], with(t, f.configurationOf(t, kind, f.states[kind]), c.argument, c.value))
			if all := strings.Join(p.told, "\n"); !strings.Contains(all, "is gone") || strings.Contains(all, "ERROR") {
				t.Errorf("the second plan: got %q, want a warning that the resource is gone, and no error", all)
			}
		})
	}
}
