package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// String returns the step in the form that the table uses.
func (s appStep) String() string {
	if s.isRedeploy() {
		return "redeploy"
	}
	change, _ := json.Marshal(s.change) // text, numbers and lists
	return string(change)
}

// plainApp returns the app that the tables and the drawn apps start from.
func plainApp() appModel {
	return appModel{InstanceID: types.StringValue("i-one"), Name: types.StringValue("web"), Repo: types.StringValue("octo/web"), appSettings: appSettings{Branch: types.StringValue("main"), Port: types.Int64Value(3000), HealthPath: types.StringValue("/healthz"), Public: types.BoolValue(true), MemoryMB: types.Int64Value(512), Links: types.SetNull(types.StringType)}, Env: types.MapNull(types.StringType), RedeployTriggers: types.MapNull(types.StringType), DeletionProtection: types.BoolValue(true), SecretEnvWO: types.MapNull(types.StringType)}
}

func stringsMap(values map[string]string) types.Map {
	return mapOf(values, types.MapUnknown(types.StringType))
}

func TestAppDifference(t *testing.T) {
	with := func(change func(*appModel)) appModel {
		m := plainApp()
		change(&m)
		return m
	}
	plain := plainApp()
	for name, row := range map[string]struct {
		there, planned appModel
		env            map[string]string // nil keeps the variables
		rebuild        bool
		want           string
	}{
		"nothing":                      {plain, plain, nil, false, "[]"},
		"memory that is not asked for": {plain, with(func(m *appModel) { m.MemoryMB = types.Int64Null() }), nil, false, "[]"},
		"memory that is not known":     {plain, with(func(m *appModel) { m.MemoryMB = types.Int64Unknown() }), nil, false, "[]"},
		"no links, another way":        {plain, with(func(m *appModel) { m.Links = types.SetValueMust(types.StringType, nil) }), nil, false, "[]"},
		"what only the provider knows": {plain, with(func(m *appModel) { m.DeletionProtection = types.BoolValue(false) }), nil, false, "[]"},
		"a restart":                    {plain, with(func(m *appModel) { m.Port = types.Int64Value(8080) }), nil, false, `[{"port":8080}]`},
		"everything that restarts": {plain, with(func(m *appModel) {
			m.HealthPath, m.Public, m.MemoryMB = types.StringValue("/up"), types.BoolValue(false), types.Int64Value(600)
			m.Links = attributes.SetOf([]string{"auth"}, types.SetUnknown(types.StringType))
		}), nil, false, `[{"health_path":"/up","public":false,"links":["auth"],"memory_mb":600}]`},
		"links that go":                 {with(func(m *appModel) { m.Links = attributes.SetOf([]string{"auth"}, types.SetUnknown(types.StringType)) }), plain, nil, false, `[{"links":[]}]`},
		"a branch builds":               {plain, with(func(m *appModel) { m.Branch = types.StringValue("next") }), nil, true, `[{"branch":"next"}]`},
		"variables build":               {plain, plain, map[string]string{"A": "1"}, true, `[{"env":{"A":"1"}}]`},
		"no variable is left":           {plain, plain, map[string]string{}, false, `[{"env":{}}]`},
		"a trigger":                     {plain, with(func(m *appModel) { m.RedeployTriggers = stringsMap(map[string]string{"v": "1"}) }), nil, false, "[redeploy]"},
		"a build that is to come again": {plain, plain, nil, true, "[redeploy]"},
		"a restart and a trigger": {plain, with(func(m *appModel) {
			m.Port, m.RedeployTriggers = types.Int64Value(8080), stringsMap(map[string]string{"v": "1"})
		}), nil, false, `[{"port":8080} redeploy]`},
		"variables and a trigger at one": {plain, with(func(m *appModel) { m.RedeployTriggers = stringsMap(map[string]string{"v": "1"}) }), map[string]string{"A": "1"}, true, `[{"env":{"A":"1"}}]`},
	} {
		if got := fmt.Sprint(appDifference(row.there, row.planned, recordOfModel(row.there), row.env, row.rebuild)); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

// Attributes that the plan does not change are not sent, nor a branch that the app shows
// already. Other settings are sent without a comparison.
func TestAppDifferenceSendsWhatIsMissing(t *testing.T) {
	with := func(change func(*appModel)) appModel {
		m := plainApp()
		change(&m)
		return m
	}
	plain, port := plainApp(), with(func(m *appModel) { m.Port = types.Int64Value(8080) })
	both := with(func(m *appModel) { m.Port, m.Branch = types.Int64Value(8080), types.StringValue("next") })
	triggered := with(func(m *appModel) { m.RedeployTriggers = stringsMap(map[string]string{"v": "1"}) })
	for name, row := range map[string]struct {
		prior, planned, there appModel
		want                  string
	}{
		"changed by somebody else, and not by the plan": {plain, plain, both, "[]"},
		"settings made already":                         {plain, port, port, `[{"port":8080}]`},
		"a branch that is built already":                {plain, both, both, `[{"port":8080}]`},
		"a branch that is still to be built":            {plain, both, port, `[{"branch":"next","port":8080}]`},
		"a trigger, of which no record tells":           {plain, triggered, triggered, "[redeploy]"},
	} {
		if got := fmt.Sprint(appDifference(row.prior, row.planned, recordOfModel(row.there), nil, false)); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

// The fields in a record decide how long a read waits. No read waits for fields that the
// record lacks. Values that an earlier apply may have changed are sent.
func TestWhatARecordShowsOfAPlan(t *testing.T) {
	planned := plainApp()
	planned.Port, planned.MemoryMB, planned.Links = types.Int64Value(8080), types.Int64Value(600), providertest.Texts("auth")
	reverted, nothing := plainApp().withUnknown([]string{"port", "links"}), appModel{RedeployTriggers: plainApp().RedeployTriggers}
	before, after := recordOfModel(plainApp()), recordOfModel(planned)
	hidden, part, others := after, before, before
	hidden.Port, hidden.MemoryMB, hidden.Links = client.Maybe[int64]{}, client.Maybe[int64]{}, client.Maybe[[]string]{}
	part.Port = after.Port
	others.Port, others.Links = client.Some[int64](1), client.Some([]string{"auth"})
	const all, whole = `[{"port":8080,"links":["auth"],"memory_mb":600}]`, `[{"port":3000,"health_path":"/healthz","public":true,"memory_mb":512}]`
	for name, row := range map[string]struct {
		prior, planned appModel
		record         client.App
		sent           string
		shown          bool
	}{
		"nothing is planned":                {plainApp(), plainApp(), others, "[]", true},
		"nothing is shown":                  {plainApp(), planned, before, all, false},
		"everything is shown":               {plainApp(), planned, after, all, true},
		"a part is shown":                   {plainApp(), planned, part, all, false},
		"everything is hidden":              {plainApp(), planned, hidden, all, true},
		"an earlier change was not made":    {reverted, plainApp(), before, `[{"port":3000,"links":[]}]`, true},
		"an earlier change was made":        {reverted, plainApp(), others, `[{"port":3000,"links":[]}]`, false},
		"an earlier change is hidden":       {reverted, plainApp(), client.App{}, `[{"port":3000,"links":[]}]`, true},
		"a creation, compared with nothing": {nothing, plainApp(), before, whole, true},
		"another app of the name":           {nothing, plainApp(), others, whole, false},
	} {
		if got := fmt.Sprint(appDifference(row.prior, row.planned, row.record, nil, false)); got != row.sent {
			t.Errorf("%s: got %s sent, want %s", name, got, row.sent)
		}
		if got := row.planned.shows(row.prior, row.record); got != row.shown {
			t.Errorf("%s: got shown %t, want %t", name, got, row.shown)
		}
	}
}

// A drawnApp is a current or planned app with its secret variables.
type drawnApp struct {
	appModel
	env, secret map[string]string
}

// appsToBe draws apps. Their secret variables differ if the version does.
var appsToBe = rapid.Custom(func(t *rapid.T) drawnApp {
	m := plainApp()
	m.Branch = types.StringValue(rapid.SampledFrom([]string{"main", "next"}).Draw(t, "branch"))
	m.Port = types.Int64Value(rapid.SampledFrom([]int64{3000, 8080}).Draw(t, "port"))
	m.HealthPath = types.StringValue(rapid.SampledFrom([]string{"/healthz", "/up"}).Draw(t, "health path"))
	m.Public = types.BoolValue(rapid.Bool().Draw(t, "public"))
	m.MemoryMB = types.Int64Value(rapid.SampledFrom([]int64{512, 600, 700}).Draw(t, "memory"))
	m.Links = attributes.SetOf(rapid.SliceOfNDistinct(rapid.Just("auth"), 0, 1, rapid.ID[string]).Draw(t, "links"), types.SetNull(types.StringType))
	if rapid.Bool().Draw(t, "trigger") {
		m.RedeployTriggers = stringsMap(map[string]string{"v": "1"})
	}
	app := drawnApp{appModel: m, env: map[string]string{}, secret: map[string]string{}}
	for _, key := range []string{"A", "B", "C"} {
		if value := rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, key); value != "" {
			app.env[key] = value
		}
	}
	if app.Env = mapOf(app.env, types.MapNull(types.StringType)); len(app.env) == 0 && rapid.Bool().Draw(t, "env = {}") {
		app.Env = types.MapValueMust(types.StringType, nil)
	}
	if version := rapid.Int64Range(0, 2).Draw(t, "secrets"); version > 0 {
		app.SecretEnvWOVersion = types.Int64Value(version)
		app.secret = map[string]string{"S": fmt.Sprint("secret-", version), []string{"T", "U"}[version-1]: "secret"}
	}
	return app
})

// secretsUnlike reports whether an app has secret variables, none of which is like one that
// exists: nothing then proves that existing variables are shown in plain text.
func (a drawnApp) secretsUnlike(there map[string]string) bool {
	for name, value := range a.secret {
		if there[name] == value {
			return false
		}
	}
	return len(a.secret) > 0
}

// TestAppStepsLeadToThePlan draws pairs of current and planned apps, created by the
// provider or imported. The service accepts every step, and the result is the planned
// app. No variable is removed that the plan leaves alone. The app is built once if a
// build is necessary, and otherwise not at all. A plan that keeps variables whose values
// nothing proves is refused.
func TestAppStepsLeadToThePlan(t *testing.T) {
	tier.Change.Only(t)
	t.Parallel()
	const together = 100
	for first := 0; first < *providertest.Pairs; first += together {
		t.Run(fmt.Sprint("from pair ", first), func(t *testing.T) { appStepsLeadToThePlan(t, first, first+together) })
	}
}

func appStepsLeadToThePlan(t *testing.T, first, last int) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeservice.New(fakeservice.Options{APIKey: "key", RequestsKept: 1})
		defer func() { _ = fake.Close() }()
		refused := 0
		served := providertest.CountRefusals(fake, &refused)
		c := providertest.Client(t, served)
		r := &appResource{base.Resource{Data: base.Data{Client: c}}}
		for n := first; n < last; n++ {
			before, planned := appsToBe.Example(2*n), appsToBe.Example(2*n+1)
			id := fmt.Sprint("i-", n)
			before.InstanceID, planned.InstanceID = types.StringValue(id), types.StringValue(id)
			fake.AddInstance(fakeservice.Instance{ID: id, Plan: "large", Engines: map[string]*fakeservice.Engine{"postgres": {}, "auth": {}, "apps": {MemoryMB: 700}}})
			there := merged(before.env, before.secret)
			fake.AddApp(id, fakeservice.App{Name: "web", Repo: "octo/web", Branch: before.Branch.ValueString(), Port: int(before.Port.ValueInt64()), HealthPath: before.HealthPath.ValueString(),
				Public: before.Public.ValueBool(), MemoryMB: int(before.MemoryMB.ValueInt64()), Links: attributes.ElementsOf(before.Links), Env: there})

			keys, want := secretKeysOf(before.secret), merged(planned.env, planned.secret)
			unproved := false
			if imported := n%3 == 0; imported {
				keys, before.Env, before.SecretEnvWOVersion = secretKeys{}, types.MapNull(types.StringType), types.Int64Null()
				if planned.Env.IsNull() {
					want = merged(there, planned.secret)
					unproved = planned.secretsUnlike(there) && len(want) > len(planned.secret)
				}
			}
			builds := 0
			if !before.Branch.Equal(planned.Branch) || !before.RedeployTriggers.Equal(planned.RedeployTriggers) || !maps.Equal(there, want) {
				builds = 1
			}
			turn, err := c.Enter(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			update := appUpdate{appResource: r, prior: before.appModel, planned: planned.appModel, env: planned.env, secret: planned.secret}
			ctx, cancel := context.WithTimeout(t.Context(), appUpdateTimeout)
			done, err := update.run(ctx, turn, appProgress{model: before.appModel, secret: keys})
			cancel()
			turn.Leave()
			if unproved {
				if app, _ := fake.App(id, "web"); !errors.Is(err, UnknownEnvError{}) || !maps.Equal(app.Env, there) || len(app.Builds) > 0 {
					t.Fatalf("pair %d: got error %v and %v, want %v and %v", n, err, app.Env, UnknownEnvError{}, there)
				}
				fake.RemoveInstance(id)
				continue
			}
			if err != nil || refused > 0 {
				t.Fatalf("pair %d: from %s to %s: got %d refused and error %v, want none", n, appShape(before.appModel), appShape(planned.appModel), refused, err)
			}
			app, _ := fake.App(id, "web")
			if appShape(done.model) != appShape(planned.appModel) || !planned.shows(before.appModel, recordOf(app)) || done.model.Status.ValueString() != client.AppRunning {
				t.Fatalf("pair %d: from %s: got %s, %s, want %s, running", n, appShape(before.appModel), appShape(done.model), done.model.Status, appShape(planned.appModel))
			}
			if !maps.Equal(app.Env, want) || len(app.Builds) != builds {
				t.Fatalf("pair %d: from %s with %v to %s with %v: got %v after %d builds, want %v after %d",
					n, appShape(before.appModel), before.secret, appShape(planned.appModel), planned.secret, app.Env, len(app.Builds), want, builds)
			}
			fake.RemoveInstance(id)
		}
	})
}

// recordOf returns a fake's app as the API shows it.
func recordOf(a fakeservice.App) client.App {
	return client.App{Name: a.Name, Repo: a.Repo, AppSettings: client.AppSettings{Branch: client.Some(a.Branch), Port: client.Some(int64(a.Port)), HealthPath: client.Some(a.HealthPath), Public: client.Some(a.Public), Links: client.Some(a.Links), MemoryMB: client.Some(int64(a.MemoryMB))}, Status: client.Word(a.Status)}
}

// recordOfModel returns the record of an app with the attributes of a model.
func recordOfModel(m appModel) (a client.App) {
	attributes.Request(&m.appSettings, &a.AppSettings, attributes.Names(&m.appSettings))
	return a
}

// appShape returns the attributes of a model that a configuration can set.
func appShape(m appModel) string {
	return fmt.Sprint(m.appSettings, m.Env, m.SecretEnvWOVersion, m.RedeployTriggers)
}

// Each attribute that a step sends becomes unknown if the step's end is not seen.
func TestSentAttributesBecomeUnknown(t *testing.T) {
	var all client.AppSettings
	for _, field := range reflect.ValueOf(&all).Elem().Fields() {
		field.FieldByName("Set").SetBool(true)
	}
	for _, name := range client.Names(all) {
		if m := plainApp(); reflect.DeepEqual(m.withUnknown([]string{name}), m) {
			t.Errorf("%s: got it known, want it unknown: appSettings in internal/provider/app/app_model.go lacks it", name)
		}
	}
}
