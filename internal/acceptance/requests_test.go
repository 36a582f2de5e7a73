package acceptance

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A fleet is an account of equal instances, each with an app and a database. It has the
// states of the first instance's resources.
type fleet struct {
	*fakeservicetest.Server
	ids     []string
	schemas map[string]*tfprotov6.Schema
	states  map[string]tftypes.Value // of the first instance, by resource type
}

// fleetChildren maps each type of resource on an instance to the end of its import id.
var fleetChildren = map[string]string{
	"hosting_allowlist":          "",
	"hosting_console_mode":       "",
	"hosting_auth_settings":      "",
	"hosting_app":                "/web",
	"hosting_postgres_database":  "/orders",
	"hosting_postgres_extension": "/main/pgcrypto",
}

func newFleet(t *testing.T, instances int, kinds ...string) *fleet {
	t.Helper()
	f := &fleet{Server: fakeservicetest.Start(t), states: map[string]tftypes.Value{}}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for range instances {
		instance := f.AddInstance(fakeservice.Instance{
			Name: "box", Plan: "large", Region: "eu-central", Allowlist: []string{"203.0.113.0/24"}, CreatedAt: at,
			Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}, "apps": {MemoryMB: 512}, "auth": {MemoryMB: 256, SiteURL: "https://box.example"}},
		})
		f.AddApp(instance.ID, fakeservice.App{Name: "web", Repo: "acme/shop", Branch: "main", Port: 3000, HealthPath: "/", Status: "running", CreatedAt: at})
		f.AddDatabase(instance.ID, "orders")
		f.AddExtension(instance.ID, fakeservice.Extension{Name: "pgcrypto", Database: "main", Version: "1.3"})
		f.ids = append(f.ids, instance.ID)
	}
	server := configured(t, f.Server)
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	must(t, err == nil, "%v", err)
	f.schemas = schema.ResourceSchemas
	for _, kind := range kinds {
		id := f.ids[0] + fleetChildren[kind]
		if kind == "hosting_account_profile" {
			id = f.AccountID()
		}
		imported, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: kind, ID: id})
		must(t, err == nil && len(imported.ImportedResources) == 1, "the import: got error %v and %+v, want one object", err, imported)
		f.states[kind] = f.read(t, server, kind, imported.ImportedResources[0].State)
	}
	return f
}

// read refreshes a resource and returns its state.
func (f *fleet) read(t *testing.T, server tfprotov6.ProviderServer, kind string, state *tfprotov6.DynamicValue) tftypes.Value {
	read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: kind, CurrentState: state})
	if err != nil || len(read.Diagnostics) > 0 {
		t.Errorf("a read of %s: got error %v and diagnostics %+v, want neither", kind, err, read.Diagnostics)
		return tftypes.Value{}
	}
	value, err := read.NewState.Unmarshal(f.schemas[kind].ValueType())
	if err != nil {
		t.Error(err)
	}
	return value
}

// stateOf returns the state of a resource on the instance with an id.
func (f *fleet) stateOf(t *testing.T, kind, id string) tftypes.Value {
	value, err := tftypes.Transform(f.states[kind], func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		var text string
		if v.Type().Is(tftypes.String) && v.IsKnown() && !v.IsNull() && v.As(&text) == nil {
			return tftypes.NewValue(tftypes.String, strings.ReplaceAll(text, f.ids[0], id)), nil
		}
		return v, nil
	})
	if err != nil {
		t.Error(err)
	}
	return value
}

// configurationOf returns a configuration that asks for the values of a state.
func (f *fleet) configurationOf(t *testing.T, kind string, state tftypes.Value) tftypes.Value {
	var values map[string]tftypes.Value
	if err := state.As(&values); err != nil {
		t.Error(err)
	}
	values = maps.Clone(values) // the map belongs to the state
	for _, attribute := range f.schemas[kind].Block.Attributes {
		if !attribute.Required && !attribute.Optional {
			values[attribute.Name] = tftypes.NewValue(attribute.ValueType(), nil)
		}
	}
	return tftypes.NewValue(state.Type(), values)
}

// dynamic encodes a value for the protocol.
func dynamic(t *testing.T, v tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		t.Error(err)
	}
	return &encoded
}

// refresh reads and plans a resource that does not change, as a plan does.
func (f *fleet) refresh(t *testing.T, server tfprotov6.ProviderServer, kind, id string) {
	state := f.read(t, server, kind, dynamic(t, f.stateOf(t, kind, id)))
	planned, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: kind, PriorState: dynamic(t, state), ProposedNewState: dynamic(t, state), Config: dynamic(t, f.configurationOf(t, kind, state)),
	})
	if err != nil || len(planned.Diagnostics) > 0 {
		t.Errorf("a plan of %s of %s: got error %v and diagnostics %+v, want neither", kind, id, err, planned.Diagnostics)
		return
	}
	after, err := planned.PlannedState.Unmarshal(state.Type())
	if err != nil {
		t.Error(err)
	}
	if differences, err := after.Diff(state); err != nil || len(differences) > 0 {
		t.Errorf("a plan of %s of %s: got differences %v (%v), want none", kind, id, differences, err)
	}
}

// A plan without changes requests the list of instances, and the data that only an
// instance's own paths return: its apps, the builds of each app, and its databases.
// Settings are in the instance's record.
func TestPlanOfManyTakesFewRequests(t *testing.T) {
	t.Parallel()
	settings := []string{"hosting_allowlist", "hosting_console_mode", "hosting_auth_settings"}
	for _, row := range []struct {
		name      string
		instances int
		children  []string
		most      int
	}{
		{"instances alone", 1000, nil, 8},
		{"with an app and three settings", 200, append([]string{"hosting_app"}, settings...), 2*200 + 20},
		{"with a database too", 200, append([]string{"hosting_app", "hosting_postgres_database"}, settings...), 3*200 + 20},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, row.instances, append(row.children, "hosting_instance")...)
			server, before, begun := configured(t, f.Server), len(f.Requests()), time.Now()
			var all sync.WaitGroup
			ids := make(chan string)
			for range 10 { // Terraform's default parallelism
				all.Go(func() {
					for id := range ids {
						f.refresh(t, server, "hosting_instance", id)
						for _, kind := range row.children {
							f.refresh(t, server, kind, id)
						}
					}
				})
			}
			for _, id := range f.ids {
				ids <- id
			}
			close(ids)
			all.Wait()
			requests := f.Requests()[before:]
			took := time.Since(begun)
			most := row.most + 6*int(took/(30*time.Second))
			t.Logf("%d requests in %s", len(requests), took.Round(time.Second))
			if len(requests) > most {
				t.Errorf("requests: got %d, want at most %d: %v", len(requests), most, countRequests(requests))
			}
		})
	}
}

// countRequests counts requests by method and path, with {id} in place of each id.
func countRequests(requests []fakeservice.Request) map[string]int {
	counts := map[string]int{}
	for _, r := range requests {
		elements := strings.Split(strings.TrimPrefix(r.Path, "/"), "/")
		if len(elements) > 1 {
			elements[1] = "{id}"
		}
		counts[fmt.Sprint(r.Method, " /", strings.Join(elements, "/"))]++
	}
	return counts
}

// create plans and applies the creation of a resource in one process, as an apply does.
func create(t *testing.T, server tfprotov6.ProviderServer, kind string, arguments map[string]tftypes.Value) {
	t.Helper()
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	must(t, err == nil, "%v", err)
	of := schema.ResourceSchemas[kind].ValueType()
	configured, proposed := map[string]tftypes.Value{}, map[string]tftypes.Value{}
	for _, attribute := range schema.ResourceSchemas[kind].Block.Attributes {
		value, set := arguments[attribute.Name]
		configured[attribute.Name], proposed[attribute.Name] = value, value
		if !set {
			configured[attribute.Name], proposed[attribute.Name] = tftypes.NewValue(attribute.ValueType(), nil), tftypes.NewValue(attribute.ValueType(), nil)
		}
		if !set && attribute.Computed {
			proposed[attribute.Name] = tftypes.NewValue(attribute.ValueType(), tftypes.UnknownValue)
		}
	}
	encode := func(values any) *tfprotov6.DynamicValue {
		encoded, err := tfprotov6.NewDynamicValue(of, tftypes.NewValue(of, values))
		must(t, err == nil, "%v", err)
		return &encoded
	}
	planned, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: kind, PriorState: encode(nil), ProposedNewState: encode(proposed), Config: encode(configured),
	})
	must(t, err == nil && len(planned.Diagnostics) == 0, "the plan: got error %v and %+v, want neither an error nor diagnostics", err, planned)
	applied, err := server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: kind, PriorState: encode(nil), PlannedState: planned.PlannedState, Config: encode(configured), PlannedPrivate: planned.PlannedPrivate,
	})
	must(t, err == nil && len(applied.Diagnostics) == 0, "the apply: got error %v and %+v, want neither an error nor diagnostics", err, applied)
}

// A creation sends no request without need ("Creations" in doc.go).
func TestCreationTakesFewRequests(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	for _, work := range []string{"create", "engines", "allowlist", "database_create", "extension_set", "app_import", "app_update", "build"} {
		fake.SetDuration(work, 10*time.Millisecond)
	}
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	texts := func(s string) tftypes.Value {
		return tftypes.NewValue(tftypes.Set{ElementType: tftypes.String}, []tftypes.Value{text(s)})
	}
	engine := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"memory_mb": tftypes.Number}}
	engines := func(names ...string) tftypes.Value {
		values := map[string]tftypes.Value{}
		for _, name := range names {
			values[name] = tftypes.NewValue(engine, map[string]tftypes.Value{"memory_mb": tftypes.NewValue(tftypes.Number, nil)})
		}
		return tftypes.NewValue(tftypes.Map{ElementType: engine}, values)
	}
	there := fake.AddInstance(fakeservice.Instance{Name: "there", Engines: map[string]*fakeservice.Engine{"postgres": {}, "apps": {}, "auth": {}}})
	for _, row := range []struct {
		name, kind string
		arguments  map[string]tftypes.Value
		want       map[string]int
	}{
		{"instance", "hosting_instance", map[string]tftypes.Value{
			"name": text("box"), "plan": text("free"), "region": text("eu-central"), "engines": engines("postgres", "apps", "auth"),
		}, map[string]int{
			"GET /plans": 1, "GET /locations": 1, // to check the plan
			"GET /instances":                 1, // the instances that existed before
			"POST /instances":                1,
			"GET /jobs/{id}":                 1, // or more, depending on how long the job takes
			"GET /instances/{id}":            1, // the result
			"GET /instances/{id}/connection": 1,
			"GET /me":                        1, // the account of the instance
		}},
		{"instance in two steps", "hosting_instance", map[string]tftypes.Value{
			"name": text("cache"), "plan": text("free"), "region": text("eu-central"), "engines": engines("redis"),
		}, map[string]int{
			"GET /plans": 1, "GET /locations": 1, "GET /instances": 1, "POST /instances": 1, "GET /jobs/{id}": 2,
			"GET /instances/{id}":            3, // the result, the engines right before the change, and the result of the change
			"PUT /instances/{id}/engines":    1,
			"GET /instances/{id}/connection": 1,
			"GET /me":                        1,
		}},
		{"allowlist", "hosting_allowlist", map[string]tftypes.Value{"instance_id": text(there.ID), "cidrs": texts("203.0.113.7")}, map[string]int{
			"GET /instances/{id}":           2, // the list that it replaces, and whether a job is in progress
			"PUT /instances/{id}/allowlist": 1, "GET /jobs/{id}": 1, "GET /instances/{id}/allowlist": 1, "GET /me": 1,
		}},
		{"database", "hosting_postgres_database", map[string]tftypes.Value{"instance_id": text(there.ID), "name": text("orders")}, map[string]int{
			"GET /instances/{id}/postgres/databases":  2, // the databases before and after the creation
			"POST /instances/{id}/postgres/databases": 1, "GET /jobs/{id}": 1, "GET /me": 1,
		}},
		{"app", "hosting_app", map[string]tftypes.Value{
			"instance_id": text(there.ID), "name": text("web"), "repo": text("acme/shop"), "branch": text("main"), "port": tftypes.NewValue(tftypes.Number, 3000),
			"health_path": text("/"), "links": texts("auth"),
		}, map[string]int{
			"GET /plans": 1, "GET /instances/{id}": 1, "GET /instances/{id}/apps": 1, // to check the plan
			"POST /instances/{id}/apps/import": 1, "PATCH /instances/{id}/apps/web": 1, "GET /jobs/{id}": 2,
			"GET /instances/{id}/apps/web/builds": 2, // until the build succeeds, and for the deployed build
			"GET /instances/{id}/apps/web":        3, // after the import, until the app runs, and for the final result
			"GET /me":                             1,
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			server, before := configured(t, fake), len(fake.Requests())
			create(t, server, row.kind, row.arguments)
			if got := countRequests(fake.Requests()[before:]); !maps.Equal(got, row.want) {
				t.Errorf("requests: got %v, want %v", got, row.want)
			}
		})
	}
}
