package instance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

var someCatalogue = client.Plans{
	Plans: []client.Plan{
		{ID: "free", MemoryMB: 1024, CPU: 1, DiskGB: 10, PostgresConnections: 20},
		{ID: "small", MemoryMB: 4096, CPU: 2, DiskGB: 40, PostgresConnections: 100, PriceCents: 905, Currency: "EUR"},
	},
	Engines: map[string]client.EngineKind{"postgres": {FloorMB: 512}, "redis": {FloorMB: 64}},
}

// summaries returns the severity, attribute and summary of each diagnostic.
func summaries(diags diag.Diagnostics) []string {
	all := []string{}
	for _, d := range diags {
		text := strings.ToLower(d.Severity().String()) + ": " + d.Summary()
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			text = fmt.Sprintf("%s at %s: %s", strings.ToLower(d.Severity().String()), at.Path(), d.Summary())
		}
		all = append(all, text)
	}
	return all
}

func TestCheckPlan(t *testing.T) {
	for name, row := range map[string]struct {
		before, id string
		want       []string
		says       string
	}{
		"free":             {"", "free", []string{}, ""},
		"paid":             {"", "small", []string{"warning at plan: Plan small is paid"}, "It costs 9.05 EUR a month."},
		"unknown":          {"", "tiny", []string{"error at plan: Unknown plan"}, `"tiny"`},
		"bigger, and paid": {"free", "small", []string{"warning at plan: Plan small is paid"}, "It costs 9.05 EUR a month. The service may ask for a payment"},
		"smaller":          {"small", "free", []string{"warning at plan: Plan free has lower limits than plan small"}, "the CPUs from 2 to 1, the memory from 4096 MB to 1024 MB, the disk from 40 GB to 10 GB, the Postgres connections from 100 to 20"},
		"from a retired":   {"gone", "free", []string{}, ""},
		"to a retired":     {"free", "gone", []string{"error at plan: Unknown plan"}, ""},
		"to the same one":  {"free", "free", []string{}, ""},
	} {
		var diags diag.Diagnostics
		checkPlan(row.before, row.id, someCatalogue, &diags)
		if diff := cmp.Diff(row.want, summaries(diags)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(diags) > 0 && !strings.Contains(diags[0].Detail(), row.says) {
			t.Errorf("%s: got the detail %s, want %q in it", name, diags[0].Detail(), row.says)
		}
	}
}

func TestCheckEngines(t *testing.T) {
	new := instanceModel{Engines: types.MapNull(engineType)}
	for name, row := range map[string]struct {
		before, planned instanceModel
		want            []string
	}{
		"what fits":              {new, sized("free", map[string]int64{"postgres": 512, "redis": 0}), []string{}},
		"none":                   {new, sized("free", nil), []string{"warning at engines: No engine is on"}},
		"none any more":          {sized("free", map[string]int64{"redis": 64}), sized("free", nil), []string{"warning at engines: No engine is on"}},
		"none as before":         {sized("free", nil), sized("small", nil), []string{}},
		"a misspelt one":         {new, sized("free", map[string]int64{"postgress": 0}), []string{`error at engines["postgress"]: Unknown engine`}},
		"an unknown one on":      {sized("free", map[string]int64{"mysql": 300}), sized("free", map[string]int64{"mysql": 300}), []string{}},
		"under the floor":        {new, sized("free", map[string]int64{"redis": 32}), []string{`error at engines["redis"].memory_mb: Engine memory below the minimum`}},
		"under the floor before": {sized("free", map[string]int64{"redis": 32}), sized("free", map[string]int64{"redis": 32, "postgres": 0}), []string{}},
		"too much":               {new, sized("free", map[string]int64{"postgres": 1000, "redis": 0}), []string{"error at engines: The engines do not fit the plan"}},
		"a budget not known":     {new, sized("free", map[string]int64{"postgres": -1}), []string{}},
		"on a retired plan":      {sized("gone", map[string]int64{"postgres": 512}), sized("gone", map[string]int64{"postgres": 512, "redis": 9000}), []string{}},
		"nothing known":          {new, instanceModel{Plan: types.StringValue("free"), Engines: types.MapUnknown(engineType)}, []string{}},
	} {
		var diags diag.Diagnostics
		checkEngines(row.before, row.planned, someCatalogue, &diags)
		if diff := cmp.Diff(row.want, summaries(diags)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// An engine is not checked if the catalogue does not list engines.
func TestCheckEnginesWithoutAList(t *testing.T) {
	var diags diag.Diagnostics
	checkEngines(instanceModel{}, sized("free", map[string]int64{"anything": 9}), client.Plans{Plans: someCatalogue.Plans}, &diags)
	if len(diags) > 0 {
		t.Errorf("checkEngines without a list: got %v, want no diagnostics", diags)
	}
}

func TestRefuseEngineLoss(t *testing.T) {
	m := sized("free", map[string]int64{"redis": 64, "nats": 64})
	for name, row := range map[string]struct {
		off, configured []string
		protected       bool
		want            []string
	}{
		"nothing":                         {nil, nil, true, []string{}},
		"its own":                         {[]string{"redis"}, []string{"redis"}, false, []string{}},
		"its own, protected":              {[]string{"redis"}, []string{"redis"}, true, []string{"error at engines: Instance test is protected from losing its redis data"}},
		"somebody else's":                 {[]string{"nats"}, []string{"redis"}, false, []string{"error at engines: Instance test has the engine nats, which its configuration never had"}},
		"somebody else's, and protected":  {[]string{"nats"}, nil, true, []string{"error at engines: Instance test has the engine nats, which its configuration never had"}},
		"one of each, and not configured": {[]string{"nats", "redis"}, []string{"redis"}, false, []string{"error at engines: Instance test has the engine nats, which its configuration never had"}},
	} {
		var diags diag.Diagnostics
		m.DeletionProtection = types.BoolValue(row.protected)
		if refused := m.refuseLoss(row.off, row.configured, &diags); refused != (len(row.want) > 0) {
			t.Errorf("%s: got refused %t, want %t", name, refused, len(row.want) > 0)
		}
		if diff := cmp.Diff(row.want, summaries(diags)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// An unchanged plan, region or name is never an error, even if the service no longer
// offers it. If the instance is replaced, everything is checked.
func TestOnlyWhatChangesIsChecked(t *testing.T) {
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	c, err := client.New(client.Options{BaseURL: "https://hosting.test/api/v1", APIKey: "key", Transport: gateway.Transport{Handler: fake}})
	if err != nil {
		t.Fatal(err)
	}
	r := &instanceResource{base.Resource{Data: base.Data{Client: c}}}
	retired := sized("retired", map[string]int64{"postgres": 512})
	retired.Region, retired.Name = types.StringValue("closed"), types.StringValue(strings.Repeat("x", 101))
	with := func(change func(*instanceModel)) instanceModel {
		m := retired
		change(&m)
		return m
	}
	unknown := []string{"warning at name: The service may refuse the name of the instance", "error at region: Unknown region", "error at plan: Unknown plan"}
	for name, row := range map[string]struct {
		state *instanceModel
		plan  instanceModel
		want  []string
	}{
		"nothing changes":    {&retired, retired, []string{}},
		"an engine changes":  {&retired, with(func(m *instanceModel) { m.Engines = sized("", map[string]int64{"postgres": 0, "redis": 0}).Engines }), []string{}},
		"the plan changes":   {&retired, with(func(m *instanceModel) { m.Plan = types.StringValue("free") }), []string{}},
		"to an unknown plan": {&retired, with(func(m *instanceModel) { m.Plan = types.StringValue("fre") }), unknown[2:]},
		"the region changes": {&retired, with(func(m *instanceModel) { m.Region = types.StringValue("us-east") }), []string{}},
		"the name changes":   {&retired, with(func(m *instanceModel) { m.Name = types.StringValue(strings.Repeat("y", 101)) }), unknown[:1]},
		"it is bought anew":  {nil, retired, unknown},
		"what is not known": {nil, with(func(m *instanceModel) {
			m.Plan, m.Region, m.Name = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
		}), []string{}},
	} {
		var diags diag.Diagnostics
		r.checkCatalogue(t.Context(), row.state, row.plan, &diags)
		if diff := cmp.Diff(row.want, summaries(diags)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
