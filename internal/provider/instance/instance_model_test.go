package instance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// The state's evidence decides whether an instance runs, is unfinished, never ran or is
// protected.
func TestInstanceEvidence(t *testing.T) {
	for name, row := range map[string]struct {
		status, host, ca                      string
		creating                              bool
		runs, unfinished, neverRan, unguarded bool
	}{
		"never read":                           {unfinished: true},
		"being created":                        {status: "creating", creating: true, unfinished: true, neverRan: true, unguarded: true},
		"being created, with a host already":   {status: "creating", host: "h", creating: true, unfinished: true},
		"imported while it reads creating":     {status: "creating", unfinished: true},
		"creating once more":                   {status: "creating", host: "h"},
		"creation failed":                      {status: "failed", creating: true, neverRan: true, unguarded: true},
		"failed after it ran":                  {status: "failed", ca: "c"},
		"failed after it ran, note left":       {status: "failed", ca: "c", creating: true},
		"imported failed":                      {status: "failed"},
		"running":                              {status: "running", runs: true},
		"running, note left":                   {status: "running", creating: true, runs: true},
		"being deleted":                        {status: "deleting", host: "h", unguarded: true},
		"another word, has run":                {status: "restarting", host: "h", runs: true},
		"another word, has a certificate":      {status: "restarting", ca: "c", runs: true},
		"another word, may never have run":     {status: "preparing", unfinished: true},
		"another word, being created":          {status: "preparing", creating: true, unfinished: true, neverRan: true, unguarded: true},
		"another word, host before it is done": {status: "preparing", host: "h", creating: true, runs: true, unfinished: true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, protection := range []types.Bool{types.BoolNull(), types.BoolValue(true), types.BoolValue(false)} {
				m := instanceModel{Status: attributes.StringOrNull(row.status), Host: attributes.StringOrNull(row.host), CACertificate: attributes.StringOrNull(row.ca), DeletionProtection: protection}
				got := []bool{m.runs(), m.unfinished(row.creating), m.neverRan(row.creating), m.protected(row.creating)}
				want := []bool{row.runs, row.unfinished, row.neverRan, !row.unguarded && (protection.IsNull() || protection.ValueBool())}
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(instanceModel{})); diff != "" {
					t.Errorf("runs, unfinished, neverRan, protected with %s (-want +got):\n%s", protection, diff)
				}
			}
		})
	}
}

// The connection record has the host, which a running instance may show later
// (SERVICE.md#tolerance). It replaces no host that the instance's record shows.
func TestHostOfTheConnectionRecord(t *testing.T) {
	for name, row := range map[string]struct {
		status, host, ca string
		connection       string
		needed           bool
		want             string
	}{
		"not shown yet":                 {status: "running", ca: "c", connection: "one.example", needed: true, want: "one.example"},
		"shown":                         {status: "running", ca: "c", host: "one.example", connection: "two.example", want: "one.example"},
		"nowhere":                       {status: "running", ca: "c", needed: true},
		"another word, has run":         {status: "restarting", ca: "c", connection: "one.example", needed: true, want: "one.example"},
		"being created, without record": {status: "creating", connection: "one.example", want: "one.example"},
	} {
		for _, missing := range []types.String{types.StringNull(), types.StringUnknown()} {
			m := instanceModel{Status: attributes.StringOrNull(row.status), Host: attributes.StringOrNull(row.host), CACertificate: attributes.StringOrNull(row.ca)}
			if row.host == "" {
				m.Host = missing
			}
			if got := m.needsConnection(); got != row.needed {
				t.Errorf("%s: got the connection record needed %t, want %t", name, got, row.needed)
			}
			m.setConnection(client.Connection{Host: row.connection, CACertificate: "c"})
			if m.Host != attributes.StringOrNull(row.want) {
				t.Errorf("%s: got host %s, want %q", name, m.Host, row.want)
			}
		}
	}
}

func TestInstanceTakesARecordOver(t *testing.T) {
	plain := sized("small", map[string]int64{"postgres": 512, "redis": 64})
	plain.Status, plain.Host = types.StringValue("running"), types.StringValue("one.example")
	for name, row := range map[string]struct {
		prior  func(*instanceModel)
		record client.Instance
		want   func(*instanceModel)
	}{
		"nothing is told":       {func(*instanceModel) {}, client.Instance{}, func(*instanceModel) {}},
		"another id is no id":   {func(*instanceModel) {}, client.Instance{ID: "i-two"}, func(*instanceModel) {}},
		"the plan's older name": {func(*instanceModel) {}, client.Instance{Tier: "large"}, func(m *instanceModel) { m.Plan = types.StringValue("large") }},
		"everything is told": {func(*instanceModel) {}, client.Instance{InstanceSettings: client.InstanceSettings{Name: client.Some("web"), Tags: client.Some([]string{"b", "a", "b"})}, Plan: "large", Region: "us-east", Status: "restarting", Host: "two.example", CheckoutURL: "https://pay.example", Engines: client.Some(client.Engines{"nats": {MemoryMB: 64}})},
			func(m *instanceModel) {
				m.Name, m.Plan = types.StringValue("web"), types.StringValue("large") // the region stays
				m.Status, m.Host, m.CheckoutURL = types.StringValue("restarting"), types.StringValue("two.example"), types.StringValue("https://pay.example")
				m.Tags, m.TagsAll, m.Engines = providertest.Texts("a", "b"), providertest.Texts("a", "b"), enginesMap(engines(map[string]int64{"nats": 64}))
			}},
		"imported, its region":   {func(m *instanceModel) { m.Region = types.StringNull() }, client.Instance{Region: "us-east"}, func(m *instanceModel) { m.Region = types.StringValue("us-east") }},
		"a plan in another case": {func(*instanceModel) {}, client.Instance{Plan: "SMALL"}, func(*instanceModel) {}},
		"it is paid":             {func(m *instanceModel) { m.CheckoutURL = types.StringValue("https://pay.example") }, client.Instance{}, func(*instanceModel) {}},
		"a budget is not told":   {func(*instanceModel) {}, client.Instance{Engines: client.Some(client.Engines{"postgres": {}, "redis": {MemoryMB: 128}})}, func(m *instanceModel) { m.Engines = sized("", map[string]int64{"postgres": 512, "redis": 128}).Engines }},
		"an engine has gone":     {func(*instanceModel) {}, client.Instance{Engines: client.Some(client.Engines{"redis": {MemoryMB: 64}})}, func(m *instanceModel) { m.Engines = sized("", map[string]int64{"redis": 64}).Engines }},
		"the last tag has gone":  {func(m *instanceModel) { m.Tags = providertest.Texts("a") }, client.Instance{InstanceSettings: client.InstanceSettings{Tags: client.Some([]string{})}}, func(*instanceModel) {}},
		"tags = []":              {func(m *instanceModel) { m.Tags = providertest.Texts() }, client.Instance{InstanceSettings: client.InstanceSettings{Tags: client.Some([]string{})}}, func(m *instanceModel) { m.Tags = providertest.Texts() }},
		"imported, and guarded":  {func(m *instanceModel) { m.DeletionProtection = types.BoolNull() }, client.Instance{}, func(m *instanceModel) { m.DeletionProtection = types.BoolValue(true) }},
		"made, and not told yet": {func(m *instanceModel) { m.Host, m.Status = types.StringUnknown(), types.StringUnknown() }, client.Instance{Status: "creating"}, func(m *instanceModel) { m.Host, m.Status = types.StringNull(), types.StringValue("creating") }},
	} {
		m, want := plain, plain
		row.prior(&m)
		row.want(&want)
		m.setRecord(row.record, types.SetNull(types.StringType))
		if diff := cmp.Diff(want, m, cmp.AllowUnexported(instanceModel{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Secrets of a connection record are not copied to the model.
func TestInstanceTakesItsConnectionOver(t *testing.T) {
	auth := &client.AuthConnection{URL: "https://one.example/auth/v1", AnonKey: "anon", ServiceKey: "canary"}
	for name, row := range map[string]struct {
		told             client.Connection
		ca, url, anonKey types.String
	}{
		"with auth":    {client.Connection{CACertificate: "pem", Engines: client.ConnectionEngines{Auth: auth}}, types.StringValue("pem"), types.StringValue(auth.URL), types.StringValue("anon")},
		"without":      {client.Connection{CACertificate: "pem"}, types.StringValue("pem"), types.StringNull(), types.StringNull()},
		"not told yet": {client.Connection{}, types.StringNull(), types.StringNull(), types.StringNull()},
	} {
		before := types.StringValue("before")
		m := instanceModel{CACertificate: before, AuthURL: before, AuthAnonKey: before}
		if m.setConnection(row.told); !m.CACertificate.Equal(row.ca) || !m.AuthURL.Equal(row.url) || !m.AuthAnonKey.Equal(row.anonKey) {
			t.Errorf("%s: got %s, %s, %s, want %s, %s, %s", name, m.CACertificate, m.AuthURL, m.AuthAnonKey, row.ca, row.url, row.anonKey)
		}
	}
}

// A request to create an instance states for three engines whether each is on or off.
func TestNewInstance(t *testing.T) {
	m := sized("small", map[string]int64{"postgres": 512, "redis": 0})
	m.Tags, m.TagsAll = providertest.Texts("a"), providertest.Texts("b", "a")
	want := client.NewInstance{InstanceSettings: client.InstanceSettings{Name: client.Some("test"), Tags: client.Some([]string{"a", "b"})}, Plan: "small", Region: "eu-central", Engines: map[string]bool{"postgres": true, "apps": false, "auth": false}}
	var diags diag.Diagnostics
	if diff := cmp.Diff(want, m.newInstance(t.Context(), &diags)); diff != "" || len(diags) > 0 {
		t.Errorf("newInstance (-want +got): %s\ndiagnostics: %v", diff, diags)
	}
}
