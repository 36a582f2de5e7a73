package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// An app takes over a record with few fields, or with all of them.
func TestAppTakesARecordOver(t *testing.T) {
	known := secretKeys{names: []string{"S"}, known: true}
	told := client.App{Repo: "Octo/Web", AppSettings: client.AppSettings{Branch: client.Some("next"), Port: client.Some[int64](8080), HealthPath: client.Some("/up"), Public: client.Some(false), Links: client.Some([]string{"auth"}), MemoryMB: client.Some[int64](700), Env: client.Some(map[string]string{"A": "2", "S": "canary"})}, URL: "https://web.example", Status: client.AppRunning}
	for name, row := range map[string]struct {
		prior  func(*appModel)
		record client.App
		secret secretKeys
		want   func(*appModel)
	}{
		"nothing is told": {func(*appModel) {}, client.App{}, known, func(*appModel) {}},
		"everything is told": {func(m *appModel) { m.Env = stringsMap(map[string]string{"A": "2"}) }, told, known, func(m *appModel) {
			m.Branch, m.Port, m.HealthPath, m.Public = types.StringValue("next"), types.Int64Value(8080), types.StringValue("/up"), types.BoolValue(false)
			m.Links, m.MemoryMB, m.Env = providertest.Texts("auth"), types.Int64Value(700), stringsMap(map[string]string{"A": "2"})
			m.URL, m.Status = types.StringValue("https://web.example"), types.StringValue("running")
		}},
		"secret variables are not known": {func(*appModel) {}, client.App{AppSettings: client.AppSettings{Env: told.Env}}, secretKeys{}, func(*appModel) {}},
		"another repository":             {func(*appModel) {}, client.App{Repo: "octo/other"}, known, func(m *appModel) { m.Repo = types.StringValue("octo/other") }},
		"imported": {func(m *appModel) { m.Repo, m.DeletionProtection = types.StringNull(), types.BoolNull() }, client.App{Repo: "Octo/Web"}, secretKeys{},
			func(m *appModel) { m.Repo = types.StringValue("Octo/Web") }},
		"a public app without its URL": {func(m *appModel) { m.URL = types.StringValue("https://web.example") }, client.App{}, known,
			func(m *appModel) { m.URL = types.StringValue("https://web.example") }},
		"a URL that is not known": {func(m *appModel) { m.URL = types.StringUnknown() }, client.App{}, known, func(m *appModel) { m.URL = types.StringNull() }},
		"it is not public any more": {func(m *appModel) { m.URL = types.StringValue("https://web.example") }, client.App{AppSettings: client.AppSettings{Public: client.Some(false)}}, known,
			func(m *appModel) { m.Public = types.BoolValue(false) }},
		"memory that is not told": {func(m *appModel) { m.MemoryMB = types.Int64Unknown() }, client.App{}, known,
			func(m *appModel) { m.MemoryMB = types.Int64Null() }},
		"values that the state does not have": {func(m *appModel) { m.Env = stringsMap(map[string]string{"A": "1", "B": hiddenVariable}) },
			client.App{AppSettings: client.AppSettings{Env: client.Some(map[string]string{"A": "2", "B": "canary", "C": "canary", "S": "canary"})}}, known,
			func(m *appModel) {
				m.Env = stringsMap(map[string]string{"A": hiddenVariable, "B": hiddenVariable, "C": hiddenVariable})
			}},
		"variables in another form": {func(m *appModel) { m.Env = stringsMap(map[string]string{"A": " 1\r\n2\n"}) }, client.App{AppSettings: client.AppSettings{Env: client.Some(map[string]string{"A": "1\n2"})}}, known,
			func(m *appModel) { m.Env = stringsMap(map[string]string{"A": " 1\r\n2\n"}) }},
		"the last variable has gone": {func(m *appModel) { m.Env = stringsMap(map[string]string{"A": "1"}) }, client.App{AppSettings: client.AppSettings{Env: client.Some(map[string]string{"S": "canary"})}}, known, func(*appModel) {}},
		"env = {}": {func(m *appModel) { m.Env = types.MapValueMust(types.StringType, nil) }, client.App{AppSettings: client.AppSettings{Env: client.Some(map[string]string{})}}, known,
			func(m *appModel) { m.Env = types.MapValueMust(types.StringType, nil) }},
	} {
		m, want := plainApp(), plainApp()
		row.prior(&m)
		row.want(&want)
		m.setRecord(row.record, row.secret)
		if diff := cmp.Diff(want, m, cmp.AllowUnexported(appModel{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The deployed build is the newest successful one. If the list has none, known values are
// kept.
func TestAppTakesItsBuildsOver(t *testing.T) {
	for name, row := range map[string]struct {
		builds     []client.Build
		id, commit types.String
	}{
		"none":                 {nil, types.StringValue("before"), types.StringValue("before")},
		"the first is running": {[]client.Build{{ID: "b-1", Status: "running", Commit: "c-1"}}, types.StringValue("before"), types.StringValue("before")},
		"a later one failed":   {[]client.Build{{ID: "b-3", Status: "queued"}, {ID: "b-2", Status: "failed"}, {ID: "b-1", Status: "successful", Commit: "c-1"}}, types.StringValue("b-1"), types.StringValue("c-1")},
		"a commit not told":    {[]client.Build{{ID: "b-1", Status: "deployed"}}, types.StringValue("b-1"), types.StringNull()},
	} {
		m := appModel{BuildID: types.StringValue("before"), Commit: types.StringValue("before")}
		if m.setBuild(row.builds); !m.BuildID.Equal(row.id) || !m.Commit.Equal(row.commit) {
			t.Errorf("%s: got build %s of commit %s, want %s of %s", name, m.BuildID, m.Commit, row.id, row.commit)
		}
	}
}

func TestNewApp(t *testing.T) {
	m := plainApp()
	env := map[string]string{"A": "1", "S": "secret"}
	want := client.NewApp{Repo: "octo/web", AppSettings: client.AppSettings{Branch: client.Some("main"), Port: client.Some[int64](3000), HealthPath: client.Some("/healthz"), Public: client.Some(true), Env: client.Some(env), MemoryMB: client.Some(int64(512))}, Name: "web"}
	if diff := cmp.Diff(want, m.newApp(env)); diff != "" {
		t.Errorf("newApp (-want +got):\n%s", diff)
	}
	for _, memory := range []types.Int64{types.Int64Unknown(), types.Int64Null()} {
		if m.MemoryMB = memory; m.newApp(nil).MemoryMB.Set {
			t.Errorf("memory %s: got it sent, want it left out", memory)
		}
	}
}

func TestVariablesOfAConfiguration(t *testing.T) {
	for name, row := range map[string]struct {
		env, secret types.Map
		want        string
	}{
		"in one each":            {stringsMap(map[string]string{"A": "1"}), stringsMap(map[string]string{"B": "2"}), ""},
		"in both":                {stringsMap(map[string]string{"A": "1"}), stringsMap(map[string]string{"A": "2"}), "E Duplicate variable"},
		"a value that is hidden": {stringsMap(map[string]string{"A": hiddenVariable}), types.MapNull(types.StringType), "E Value of a variable is not known"},
		"a secret of that kind":  {types.MapNull(types.StringType), stringsMap(map[string]string{"A": hiddenVariable}), "E Value of a variable is not known"},
		"unknown":                {types.MapUnknown(types.StringType), types.MapUnknown(types.StringType), ""},
	} {
		var diags diag.Diagnostics
		m := appModel{Env: row.env, SecretEnvWO: row.secret}
		if m.validate(&diags); told(diags) != row.want {
			t.Errorf("%s: got %q, want %q", name, told(diags), row.want)
		}
	}
}

func TestAppNeverRan(t *testing.T) {
	for name, row := range map[string]struct {
		status, build, url string
		note               note
		want               bool
	}{
		"being imported":                   {"building", "", "", note{Phase: creating, Build: "b-1"}, true},
		"its first build failed":           {"failed", "", "", note{Phase: creating, Build: "b-1"}, true},
		"its first build never answered":   {"failed", "b-1", "https://app.example", note{Phase: failed, Build: "b-1"}, true},
		"another build was deployed since": {"failed", "b-2", "", note{Phase: failed, Build: "b-1"}, false},
		"deployed, and nobody saw it":      {"failed", "b-1", "", note{Phase: creating, Build: "b-1"}, false},
		"it has a URL":                     {"failed", "", "https://app.example", note{Phase: creating}, false},
		"it runs":                          {"running", "", "", note{Phase: creating}, false},
		"nothing is noted":                 {"failed", "", "", note{}, false},
		"an update is noted":               {"failed", "", "", note{Phase: deploying}, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := appModel{Status: attributes.StringOrNull(row.status), BuildID: attributes.StringOrNull(row.build), URL: attributes.StringOrNull(row.url)}
			if got := m.neverRan(row.note); got != row.want {
				t.Errorf("neverRan: got %v, want %v", got, row.want)
			}
		})
	}
}
