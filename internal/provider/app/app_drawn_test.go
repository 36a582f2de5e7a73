package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
			done := convergence{appResource: r, turn: turn, goal: goal{before.appModel, planned.appModel, planned.env, planned.secret}}
			done.progress = progress{have: before.appModel, keys: keys}
			ctx, cancel := context.WithTimeout(t.Context(), appUpdateTimeout)
			err = done.run(ctx)
			cancel()
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
			if appShape(done.have) != appShape(planned.appModel) || !done.shows(recordOf(app)) || done.have.Status.ValueString() != client.AppRunning {
				t.Fatalf("pair %d: from %s: got %s, %s, want %s, running", n, appShape(before.appModel), appShape(done.have), done.have.Status, appShape(planned.appModel))
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

// appShape returns the attributes of a model that a configuration can set.
func appShape(m appModel) string {
	return fmt.Sprint(m.appSettings, m.Env, m.SecretEnvWOVersion, m.RedeployTriggers)
}
