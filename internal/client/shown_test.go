package client

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// After a lost answer, a change is sent again unless the records show everything requested.
func TestWhatShowsAChange(t *testing.T) {
	instance := func(fields object) script {
		fields["id"], fields["status"] = "i", "running"
		return script{"GET /instances/i": says(200, fields)}
	}
	app := func(fields object) script {
		fields["name"] = "a"
		return script{"GET /instances/i/apps/a": says(200, fields)}
	}
	busy := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }
	settings := func(fields object) script {
		return script{"GET /instances/i/engines/auth/settings": says(200, fields)}
	}
	for name, row := range map[string]struct {
		send         func(context.Context, *Turn) (Pending, error)
		shows, hides []script
	}{
		"PATCH /instances/i": {
			func(ctx context.Context, turn *Turn) (Pending, error) {
				return turn.Update(ctx, InstanceSettings{Name: Some("web"), Tags: Some([]string{"a", "b"})})
			},
			[]script{instance(object{"name": "web", "tags": []string{"b", "a"}})},
			[]script{instance(object{"name": "web"}), instance(object{"name": "web", "tags": []string{"a"}}), instance(object{"name": "db", "tags": []string{"a", "b"}})},
		},
		"PUT /instances/i/engines": {
			func(ctx context.Context, turn *Turn) (Pending, error) {
				return turn.SetEngines(ctx, func(Instance) (map[string]EngineBudget, error) {
					return map[string]EngineBudget{"postgres": {MemoryMB: new(int64(512))}, "redis": {MemoryMB: new(int64(64))}}, nil
				})
			},
			[]script{
				instance(object{"engines": object{"postgres": object{"memory_mb": 512}, "redis": object{"memory_mb": 64}}}),
			},
			[]script{
				instance(object{"engines": []string{"postgres", "redis"}}), // without budgets
				instance(object{}), instance(object{"engines": []string{"postgres"}}), instance(object{"engines": []string{"postgres", "nats"}}),
				instance(object{"engines": object{"postgres": object{"memory_mb": 256}, "redis": true}}),
				instance(object{"engines": []string{"postgres", "redis", "nats"}}),
			},
		},
		"PUT /instances/i/sql-console": {
			func(ctx context.Context, turn *Turn) (Pending, error) { return turn.SetConsoleMode(ctx, ConsoleOff) },
			[]script{{"GET /instances/i/sql-console": says(200, object{"mode": "off"})}},
			[]script{{"GET /instances/i/sql-console": says(200, object{"mode": "rw"})}, {"GET /instances/i/sql-console": says(200, object{})}},
		},
		"PATCH /instances/i/engines/auth/settings": {
			func(ctx context.Context, turn *Turn) (Pending, error) {
				return turn.SetAuthSettings(ctx, AuthSettings{SiteURL: Some("https://a.example"), RedirectURLs: Some([]string{"https://a.example/**"})})
			},
			[]script{settings(object{"site_url": "https://A.example", "redirect_urls": []string{"https://a.example/**"}})},
			[]script{settings(object{"site_url": "https://a.example"}), settings(object{"redirect_urls": []string{"https://a.example/**"}})},
		},
		"PATCH /instances/i/apps/a": {
			func(ctx context.Context, turn *Turn) (Pending, error) {
				return turn.UpdateApp(ctx, "a", AppSettings{Branch: Some("main"), Port: Some(int64(3000)), Env: Some(map[string]string{"A": "1"}), Links: Some([]string{"auth"})})
			},
			[]script{app(object{"branch": "main", "port": 3000, "env": object{"A": "1"}, "links": []string{"auth"}, "public": true})},
			[]script{
				app(object{}), app(object{"branch": "dev", "port": 3000, "env": object{"A": "1"}, "links": []string{"auth"}}),
				app(object{"branch": "main", "env": object{"A": "1"}, "links": []string{"auth"}}),
				app(object{"branch": "main", "port": 3000, "env": object{"A": "2"}, "links": []string{"auth"}}),
				app(object{"branch": "main", "port": 3000, "env": object{"A": "1"}, "links": []string{}}),
				app(object{"branch": "main", "port": 3000, "links": []string{"auth"}}),
			},
		},
		"PUT /instances/i/postgres/extensions/pgvector": {
			func(ctx context.Context, turn *Turn) (Pending, error) { return turn.SetExtension(ctx, "d", "pgvector") },
			[]script{{"GET /instances/i/postgres/extensions": says(200, []object{{"name": "pgvector", "database": "d"}})}},
			[]script{{"GET /instances/i/postgres/extensions": says(200, []object{{"name": "pgvector", "database": "other"}})}},
		},
		"POST /instances/i/postgres/databases": {
			func(ctx context.Context, turn *Turn) (Pending, error) { return turn.CreateDatabase(ctx, "d") },
			[]script{{"GET /instances/i/postgres/databases": inTurn(says(200, []object{}), says(200, []object{{"name": "d"}}))}},
			[]script{{"GET /instances/i/postgres/databases": says(200, []object{})}},
		},
		"POST /instances/i/apps/import": {
			func(ctx context.Context, turn *Turn) (Pending, error) { return turn.ImportApp(ctx, NewApp{Name: "a"}) },
			[]script{{"GET /instances/i/apps": says(200, []object{}), "GET /instances/i/apps/a": says(200, object{"name": "a"})}},
			[]script{{"GET /instances/i/apps": says(200, []object{})}},
		},
	} {
		for shown, scripts := range map[bool][]script{true: row.shows, false: row.hides} {
			for _, s := range scripts {
				synctest.Test(t, func(t *testing.T) {
					answers := script{"GET /instances/i": says(200, object{"id": "i", "status": "running"}), name: inTurn(gateway(504), busy, says(202, object{"job_id": "j-new"}))}
					maps.Copy(answers, s)
					c, wire := newTestClient(t, answers.Serve)
					pending, err := row.send(t.Context(), enter(t, c))
					if err != nil || shown && pending != NothingPending() || !shown && pending.JobID != "j-new" {
						t.Errorf("%s, shown %v: got %+v and error %v, want nothing pending if it is shown, and otherwise job j-new", name, shown, pending, err)
					}
					if !slices.Contains(wire.Requests(), name) {
						t.Errorf("requests: got %v, want %s among them", wire.Requests(), name)
					}
				})
			}
		}
	}
}

// A record takes from a change the fields that it shows. A field that it lacks contradicts
// nothing.
func TestWhatIsLeftOfAChange(t *testing.T) {
	app := AppSettings{
		Branch: Some("main"), Port: Some[int64](3000), HealthPath: Some("/"), Public: Some(false),
		Env: Some(map[string]string{"A": "1"}), Links: Some([]string{"b", "a"}), MemoryMB: Some[int64](512),
	}
	shown, other := app, AppSettings{
		Branch: Some("dev"), Port: Some[int64](80), HealthPath: Some("/up"), Public: Some(true),
		Env: Some(map[string]string{}), Links: Some([]string{}), MemoryMB: Some[int64](600),
	}
	shown.Links = Some([]string{"a", "b"})
	part, port := AppSettings{Branch: shown.Branch, Port: other.Port}, AppSettings{Port: other.Port}
	for name, row := range map[string]struct{ change, record, missing, contradicted AppSettings }{
		"no change":              {record: app},
		"everything is shown":    {change: shown, record: app},
		"nothing is shown":       {other, app, other, other},
		"the record lacks it":    {change: shown, missing: shown},
		"a part is shown":        {part, app, port, port},
		"a part is not recorded": {part, AppSettings{Branch: other.Branch}, part, AppSettings{Branch: shown.Branch}},
	} {
		if diff := cmp.Diff(row.missing, Missing(row.change, row.record)); diff != "" {
			t.Errorf("%s: Missing (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(row.contradicted, Contradicted(row.change, row.record)); diff != "" {
			t.Errorf("%s: Contradicted (-want +got):\n%s", name, diff)
		}
	}
	want := []string{"branch", "env", "health_path", "links", "memory_mb", "port", "public"}
	if names := Names(other); !slices.Equal(names, want) || !IsEmpty(AppSettings{}) || IsEmpty(port) {
		t.Errorf("names: got %v for a change of everything, want %v", names, want)
	}
}

// A request leaves out what is not set. A list or a map that is set is never null.
func TestSettingsOfARequest(t *testing.T) {
	for want, settings := range map[string]AppSettings{
		`{}`:                          {},
		`{"port":0,"env":{}}`:         {Port: Some[int64](0), Env: Some[map[string]string](nil)},
		`{"public":false,"links":[]}`: {Public: Some(false), Links: Some[[]string](nil)},
	} {
		if got := string(must.Get(json.Marshal(settings))(t)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The deletion of an object that the service does not know is done once that is
// confirmed.
func TestDeletionOfWhatIsNotThere(t *testing.T) {
	for name, row := range map[string]struct {
		drop        func(context.Context, *Turn) (Pending, error)
		list, entry string
	}{
		"a database":   {func(ctx context.Context, turn *Turn) (Pending, error) { return turn.DropDatabase(ctx, "x", nil) }, "databases", "postgres/databases"},
		"an extension": {func(ctx context.Context, turn *Turn) (Pending, error) { return turn.DropExtension(ctx, "d", "x") }, "extensions", "postgres/extensions"},
		"an app":       {func(ctx context.Context, turn *Turn) (Pending, error) { return turn.DeleteApp(ctx, "x", nil) }, "apps", "apps"},
	} {
		for there, items := range map[bool][]object{false: {}, true: {{"name": "x", "database": "d"}}} {
			synctest.Test(t, func(t *testing.T) {
				c, _ := newTestClient(t, script{"GET /instances/i/" + row.entry: says(200, object{row.list: items})}.Serve)
				pending, err := row.drop(t.Context(), enter(t, c))
				if !there && (err != nil || pending != NothingPending()) || there && !errors.Is(err, ErrNotFound) {
					t.Errorf("%s, there %v: got %+v and error %v, want nothing pending if it is missing, and otherwise ErrNotFound", name, there, pending, err)
				}
			})
		}
	}
}
