package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

func TestEnvToSend(t *testing.T) {
	type env = map[string]string
	told := client.Some[env]
	for name, row := range map[string]struct {
		state, plan env // nil means null
		version     int64
		there       client.Maybe[env]
		secret      env
		secretKeys  []string
		keysKnown   bool
		want        env // nil if nothing is sent
		err         error
	}{
		"unchanged":                  {state: env{"A": "1"}, plan: env{"A": "1"}, there: told(env{"A": "1"}), keysKnown: true},
		"unchanged beside a secret":  {state: env{"A": "1"}, plan: env{"A": "1"}, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "y"}, secretKeys: []string{"S"}, keysKnown: true},
		"changed":                    {state: env{"A": "1"}, plan: env{"A": "2"}, there: told(env{"A": "1"}), keysKnown: true, want: env{"A": "2"}},
		"changed beside a secret":    {state: env{"A": "1"}, plan: env{"A": "2"}, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "x"}, secretKeys: []string{"S"}, keysKnown: true, want: env{"A": "2", "S": "x"}},
		"changed, and there already": {state: env{"A": "1"}, plan: env{"A": "2"}, there: told(env{"A": "2"}), keysKnown: true},
		"changed, and there already beside another secret": {state: env{"A": "1"}, plan: env{"A": "2"}, there: told(env{"A": "2", "S": "x"}), secret: env{"S": "y"}, secretKeys: []string{"S"}, keysKnown: true},
		"changed, and there already without the secret":    {state: env{"A": "1"}, plan: env{"A": "2"}, there: told(env{"A": "2"}), secret: env{"S": "y"}, secretKeys: []string{"S"}, keysKnown: true, want: env{"A": "2", "S": "y"}},
		"another form of it there":                         {state: env{"A": "1"}, plan: env{"A": "2\r\n3\n"}, there: told(env{"A": "2\n3"}), keysKnown: true},
		"another form of a new one":                        {plan: env{"A": "2\n"}, there: told(env{"A": "2"}), keysKnown: true, want: env{"A": "2\n"}},
		"a change of the form":                             {state: env{"A": " 1"}, plan: env{"A": "1"}, there: told(env{"A": " 1"}), keysKnown: true, want: env{"A": "1"}},
		"a change of the form, and there":                  {state: env{"A": " 1"}, plan: env{"A": "1"}, there: told(env{"A": "1"}), keysKnown: true},
		"taken out":                                        {state: env{"A": "1"}, there: told(env{"A": "1"}), keysKnown: true, want: env{}},
		"another version":                                  {state: env{"A": "1"}, plan: env{"A": "1"}, version: 1, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "y"}, secretKeys: []string{"S"}, keysKnown: true, want: env{"A": "1", "S": "y"}},
		"another version of the same value":                {state: env{"A": "1"}, plan: env{"A": "1"}, version: 1, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "x"}, secretKeys: []string{"S"}, keysKnown: true},
		"changed by somebody else alone":                   {state: env{"A": "1"}, plan: env{"A": "1"}, there: told(env{"A": "3"}), keysKnown: true},
		"not told, unchanged":                              {state: env{"A": "1"}, plan: env{"A": "1"}, keysKnown: true},
		"not told, changed":                                {state: env{"A": "1"}, plan: env{"A": "2"}, keysKnown: true, want: env{"A": "2"}},
		"kept by ignore_changes":                           {state: env{"A": "one", "B": hiddenVariable}, plan: env{"A": "one", "B": hiddenVariable}, version: 1, there: told(env{"A": "one", "B": "2"}), secret: env{"S": "y"}, keysKnown: true, want: env{"A": "one", "B": "2", "S": "y"}},
		"kept, and the changed one there":                  {state: env{"A": "one", "B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"A": "one", "B": "2"}), keysKnown: true, want: env{"A": "2", "B": "2"}},
		"kept, and perhaps cut":                            {state: env{"A": "info", "B": hiddenVariable}, plan: env{"A": "debug", "B": hiddenVariable}, there: told(env{"A": "info", "B": "the-"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and perhaps trimmed":                        {state: env{"A": " one", "B": hiddenVariable}, plan: env{"A": "two", "B": hiddenVariable}, there: told(env{"A": "one", "B": "2"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and masked":                                 {state: env{"A": hiddenVariable, "B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"A": "EV[1]", "B": "EV[2]"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and all empty":                              {state: env{"A": "", "B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"A": "", "B": ""}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and one of two masked":                      {state: env{"A": "1", "B": hiddenVariable, "C": hiddenVariable}, plan: env{"A": "1", "B": "x", "C": hiddenVariable}, there: told(env{"A": "1", "B": "***", "C": "***"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and a stale state":                          {state: env{"A": "1", "B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"A": "***", "B": "***"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and one not shown":                          {state: env{"A": "1", "B": "2", "C": hiddenVariable}, plan: env{"A": "2", "B": "2", "C": hiddenVariable}, there: told(env{"B": "2", "C": "3"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and the secret masked":                      {state: env{"A": "1", "B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"A": "1", "B": "***", "S": "***"}), secret: env{"S": "y"}, secretKeys: []string{"S"}, keysKnown: true, err: UnknownEnvError{}},
		"kept, and proved by a secret":                     {state: env{"B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"B": "2", "S": "yes"}), secret: env{"S": "yes"}, secretKeys: []string{"S"}, keysKnown: true, want: env{"A": "2", "B": "2", "S": "yes"}},
		"kept, and nothing to compare":                     {state: env{"B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"B": "2"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and only a new secret":                      {state: env{"B": hiddenVariable}, plan: env{"B": hiddenVariable}, version: 1, there: told(env{"B": "2", "S": "x"}), secret: env{"S": "y"}, secretKeys: []string{"S"}, keysKnown: true, err: UnknownEnvError{}},
		"kept, and one that was sent is new":               {state: env{"A": "one", "B": hiddenVariable}, plan: env{"A": "one", "B": hiddenVariable, "C": "3"}, there: told(env{"A": "one", "B": "2", "C": "x"}), keysKnown: true, want: env{"A": "one", "B": "2", "C": "3"}},
		"kept by ignore_changes, gone":                     {state: env{"B": hiddenVariable}, plan: env{"B": hiddenVariable}, version: 1, there: told(env{"A": "1"}), secret: env{"S": "y"}, keysKnown: true, want: env{"S": "y"}},
		"kept by ignore_changes, not told":                 {state: env{"B": hiddenVariable}, plan: env{"B": hiddenVariable}, version: 1, secret: env{"S": "y"}, keysKnown: true, err: UnknownEnvError{}},
		"a hidden one removed":                             {state: env{"A": hiddenVariable, "B": hiddenVariable}, plan: env{"A": "1"}, there: told(env{"A": "***", "B": "***"}), keysKnown: true, want: env{"A": "1"}},
		"imported, none planned":                           {there: told(env{"A": "1"})},
		"imported, not told, none planned":                 {},
		"imported, the same planned":                       {plan: env{"A": "1"}, there: told(env{"A": "1"})},
		"imported, others planned":                         {plan: env{"A": "2"}, there: told(env{"A": "1", "B": "1"}), want: env{"A": "2"}},
		"imported, an empty one planned":                   {plan: env{}, there: told(env{"A": "1"}), want: env{}},
		"imported, secrets planned":                        {version: 1, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "y"}, err: UnknownEnvError{}},
		"imported, secrets and none else":                  {version: 1, there: told(env{"S": "x"}), secret: env{"S": "y"}, want: env{"S": "y"}},
		"imported, secrets, one there":                     {version: 1, there: told(env{"A": "1", "S": "long"}), secret: env{"S": "long", "T": "y"}, want: env{"A": "1", "S": "long", "T": "y"}},
		"imported, secrets masked":                         {version: 2, there: told(env{"A": "***", "S": "***"}), secret: env{"S": "x", "T": "y"}, secretKeys: []string{"S"}, err: UnknownEnvError{}},
		"imported, secrets there":                          {version: 1, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "x"}},
		"imported, not told, secrets planned":              {version: 1, secret: env{"S": "y"}, err: UnknownEnvError{}},
		"imported, not told, both planned":                 {plan: env{"A": "1"}, version: 1, secret: env{"S": "y"}, want: env{"A": "1", "S": "y"}},
		"imported, env and secrets there":                  {plan: env{"A": "1"}, version: 1, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "x"}},
		"imported long ago, unchanged since":               {state: env{"A": "1"}, plan: env{"A": "1"}, there: told(env{"A": "3"})},
	} {
		t.Run(name, func(t *testing.T) {
			model := func(values env, version int64) appModel {
				m := appModel{Env: types.MapNull(types.StringType), SecretEnvWOVersion: types.Int64Null()}
				if values != nil {
					m.Env, _ = types.MapValueFrom(t.Context(), types.StringType, values)
				}
				if version > 0 {
					m.SecretEnvWOVersion = types.Int64Value(version)
				}
				return m
			}
			got, err := envToSend(model(row.state, 0), model(row.plan, row.version), row.there, row.plan, row.secret, secretKeys{names: row.secretKeys, known: row.keysKnown})
			if !maps.Equal(got, row.want) || (got == nil) != (row.want == nil) || !errors.Is(err, row.err) {
				t.Errorf("got %v, %v, want %v", got, err, row.want)
			}
		})
	}
}

func TestAppNeverRan(t *testing.T) {
	for name, row := range map[string]struct {
		status, build, url string
		work               base.PendingWork
		want               bool
	}{
		"being imported":                   {"building", "", "", base.PendingWork{Creating: true, Build: "b-1"}, true},
		"its first build failed":           {"failed", "", "", base.PendingWork{Creating: true, Build: "b-1"}, true},
		"its first build never answered":   {"failed", "b-1", "https://app.example", base.PendingWork{Creating: true, Failed: true, Build: "b-1"}, true},
		"another build was deployed since": {"failed", "b-2", "", base.PendingWork{Creating: true, Failed: true, Build: "b-1"}, false},
		"deployed, and nobody saw it":      {"failed", "b-1", "", base.PendingWork{Creating: true, Build: "b-1"}, false},
		"it has a URL":                     {"failed", "", "https://app.example", base.PendingWork{Creating: true}, false},
		"it runs":                          {"running", "", "", base.PendingWork{Creating: true}, false},
		"nothing is noted":                 {"failed", "", "", base.PendingWork{}, false},
		"an update is noted":               {"failed", "", "", base.PendingWork{Deploying: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := appModel{Status: attributes.StringOrNull(row.status), BuildID: attributes.StringOrNull(row.build), URL: attributes.StringOrNull(row.url)}
			if got := m.neverRan(row.work); got != row.want {
				t.Errorf("neverRan: got %v, want %v", got, row.want)
			}
		})
	}
}

func TestBuiltAgain(t *testing.T) {
	list := func(statuses ...string) []client.Build {
		builds := make([]client.Build, len(statuses))
		for i, status := range statuses {
			builds[i] = client.Build{ID: fmt.Sprint("bld-", i), Status: client.Word(status)}
		}
		return builds
	}
	known, newest, first := base.PendingWork{Build: "bld-1", Deploying: true}, base.PendingWork{Deploying: true}, base.PendingWork{Creating: true}
	for name, row := range map[string]struct {
		work   base.PendingWork
		status string
		builds []client.Build
		want   bool
	}{
		"it is being built":                    {known, client.AppBuilding, list("queued", "running"), false},
		"it was deployed":                      {known, client.AppRunning, list("failed", "successful"), false},
		"it has failed":                        {known, client.AppRunning, list("successful", "failed"), true},
		"it was deployed, and does not run":    {known, client.AppFailed, list("failed", "successful"), true},
		"it is not listed any more":            {known, client.AppRunning, list("successful"), true},
		"the newest has failed":                {newest, client.AppRunning, list("failed", "successful"), true},
		"the newest was deployed":              {newest, client.AppRunning, list("successful", "failed"), false},
		"none is listed":                       {newest, client.AppRunning, nil, true},
		"none is listed, and the app is built": {newest, client.AppBuilding, nil, false},
		"none is listed of an import yet":      {first, "", nil, false},
		"the first has failed":                 {first, client.AppFailed, list("failed"), true},
	} {
		if got := mustBuildAgain(row.work, client.App{Status: client.Word(row.status)}, row.builds); got != row.want {
			t.Errorf("%s: got %t, want %t", name, got, row.want)
		}
	}
}

func TestNoteFailure(t *testing.T) {
	build, unhealthy, job, interrupted := &client.BuildError{}, &client.AppError{}, &client.JobError{}, &client.InterruptedError{}
	creating, deploying := base.PendingWork{Creating: true, Build: "b"}, base.PendingWork{Deploying: true, Build: "b"}
	failedCreation := base.PendingWork{Creating: true, Failed: true, Build: "b"}
	for name, row := range map[string]struct {
		err    error
		work   base.PendingWork
		want   base.PendingWork
		status string
		stage  appStage
	}{
		"the first build failed":     {build, creating, failedCreation, "failed", appDeploying},
		"the import failed":          {job, creating, failedCreation, "failed", appAwaiting},
		"the first does not run":     {unhealthy, creating, base.PendingWork{Creating: true, Failed: true, Deploying: true, Build: "b"}, "failed", appDeploying},
		"a new app is not linked":    {job, creating, creating, "before", appChanging},
		"a creation is cut short":    {interrupted, creating, creating, "before", appDeploying},
		"a build failed":             {build, deploying, deploying, "before", appDeploying},
		"a job failed":               {job, base.PendingWork{}, base.PendingWork{}, "before", appChanging},
		"a version does not run":     {unhealthy, deploying, deploying, "failed", appDeploying},
		"a restart does not run":     {unhealthy, base.PendingWork{}, base.PendingWork{Deploying: true}, "failed", appDeploying},
		"a deployment was cut short": {interrupted, deploying, deploying, "before", appDeploying},
	} {
		p := appProgress{work: row.work, model: appModel{Status: types.StringValue("before")}, stage: row.stage}
		p.noteFailure(row.err)
		if p.model.Status.ValueString() != row.status || p.work.Job != row.want.Job || p.work.Build != row.want.Build ||
			p.work.Creating != row.want.Creating || p.work.Deploying != row.want.Deploying || p.work.Failed != row.want.Failed {
			t.Errorf("%s: got status %s and work %+v, want %s and %+v", name, p.model.Status, p.work, row.status, row.want)
		}
	}
}

// A commit or build_id that could not be read after a build would be that of an older one.
// Without a build they are only informational.
func TestBuildsThatCannotBeRead(t *testing.T) {
	for name, built := range map[string]bool{"after a build": true, "without a build": false} {
		t.Run(name, func(t *testing.T) {
			app := plainApp()
			c := providertest.Client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if strings.HasSuffix(r.URL.Path, "/builds") {
					w.WriteHeader(http.StatusForbidden)
					_, _ = w.Write([]byte(`{"status":403,"code":"forbidden","detail":"No."}`))
					return
				}
				_ = json.NewEncoder(w).Encode(map[string]any{"name": "web", "repo": "octo/web", "status": "running"})
			}))
			update := appUpdate{appResource: &appResource{base.Resource{Data: base.Data{Client: c}}}, prior: app, planned: app}
			if _, err := update.readDeployed(t.Context(), appProgress{model: app, secret: secretKeysOf(nil)}, built); (err != nil) != built {
				t.Errorf("got error %v, want one only after a build", err)
			}
		})
	}
}
