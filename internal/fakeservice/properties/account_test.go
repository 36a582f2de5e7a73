package properties

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// account is an account with its fake, and the expected state.
type account struct {
	// mark is part of every name that the account uses, and of no name of the other
	// account.
	mark    string
	service *fakeservice.Service
	// revoked is a revoked key.
	revoked string
	// instances, webhooks and jobs have the ids of all objects seen so far, in order.
	instances, webhooks, jobs []string
	// deleting maps the instances whose deletion was accepted to the jobs. deleted has
	// the objects that are gone.
	deleting map[string]string
	deleted  map[string]bool
	// cursors has cursors of lists, and some invalid ones.
	cursors []string
	// repeatables has the requests with an Idempotency-Key, by path and key. last is the
	// last of them.
	repeatables map[string]repeatable
	last        repeatable
	// effects has the expected effects of accepted requests.
	effects []*effect
	// cookie is the session at the portal, or nil before the sign-in.
	cookie *http.Cookie
	// present is the account's current state as JSON.
	present string
}

// stillness is the speed of the fakes' clocks. It is so low that only Advance matters,
// and a sequence plays the same however long it takes.
const stillness = 1e-3

// begin is the start of the clocks. It is in the middle of a minute, so that no minute
// ends by itself.
var begin = time.Date(2030, 1, 1, 12, 0, 30, 0, time.UTC)

// newAccount starts a fake with one instance that has everything and a smaller one.
func newAccount(t *rapid.T, mark string) *account {
	a := &account{mark: mark, deleting: map[string]string{}, deleted: map[string]bool{}, repeatables: map[string]repeatable{}, cursors: []string{"YWZ0ZXI6MQ", "YWZ0ZXI6LTU", "nonsense"}}
	a.service = fakeservice.New(fakeservice.Options{
		Speed: stillness, Start: begin, RequestsKept: 1,
		APIKey: "key-of-" + mark, PortalPassword: "password", PortalURL: "http://localhost",
		Querier: fakeservice.QuerierFunc(func(_ context.Context, q fakeservice.Query) (fakeservice.QueryResult, error) {
			if strings.Contains(q.SQL, "broken") {
				return fakeservice.QueryResult{}, &fakeservice.SQLError{Message: "there is no column broken", SQLState: "42703"}
			}
			return fakeservice.QueryResult{Columns: []string{"n"}, Rows: [][]any{{1}}, RowCount: 1, Command: "SELECT"}, nil
		}),
	})
	t.Cleanup(func() {
		if err := a.service.Close(); err != nil {
			t.Errorf("close the fake of %s: %s", mark, err)
		}
	})
	made, err := a.service.CreateKey("revoked")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.service.RevokeKey(made.ID); err != nil {
		t.Fatal(err)
	}
	a.revoked = made.Key
	engines := map[string]*fakeservice.Engine{}
	for _, name := range []string{"postgres", "redis", "couchdb", "nats", "apps", "auth"} {
		engines[name] = &fakeservice.Engine{}
	}
	engines["apps"].MemoryMB = 2048
	box := a.service.AddInstance(fakeservice.Instance{
		Name: mark + " box", Plan: "medium", Engines: engines, ConsoleMode: "ro", Tags: []string{mark},
		Backups: []fakeservice.Backup{{ID: "bak-" + mark, Kind: "daily", CreatedAt: begin}},
	})
	a.service.AddApp(box.ID, fakeservice.App{Name: mark + "-web", Public: true})
	a.service.AddDatabase(box.ID, mark+"_stock")
	for _, database := range []string{"main", mark + "_stock"} {
		a.service.AddExtension(box.ID, fakeservice.Extension{Name: "pgcrypto", Database: database, Version: "1.3"})
	}
	annex := a.service.AddInstance(fakeservice.Instance{
		Name: mark + " annex", Plan: "small", Engines: map[string]*fakeservice.Engine{"postgres": {}, "apps": {}}, ConsoleMode: "rw",
	})
	a.service.AddApp(annex.ID, fakeservice.App{Name: mark + "-job"})
	a.service.AddDatabase(annex.ID, mark+"_log")
	a.service.AddExtension(annex.ID, fakeservice.Extension{Name: "pg_trgm", Database: "main", Version: "1.6"})
	a.service.AddWebhook(fakeservice.Webhook{URL: "https://" + mark + ".example.com", Secret: mark + " secret", Enabled: true})
	a.look()
	return a
}

// instance returns an existing instance of the account.
func (a *account) instance(id string) (fakeservice.Instance, bool) { return a.service.Instance(id) }

func (a *account) databasesOf(instance string) []string {
	var names []string
	for _, d := range a.service.Databases(instance) {
		names = append(names, d.Name)
	}
	return names
}

func (a *account) backupsOf(instance string) []string {
	in, _ := a.instance(instance)
	var ids []string
	for _, b := range in.Backups {
		ids = append(ids, b.ID)
	}
	return ids
}

func (a *account) appsOf(instance string) []string {
	var names []string
	for _, one := range a.service.Apps(instance) {
		names = append(names, one.Name)
	}
	return names
}

// ofAll returns the elements that of returns for each instance of the account.
func (a *account) ofAll(of func(instance string) []string) []string {
	var names []string
	for _, id := range a.liveInstances() {
		names = append(names, of(id)...)
	}
	return names
}

// live returns the ids of existing objects, in order.
func live[T any](all []T, id func(T) string) []string {
	var ids []string
	for _, one := range all {
		ids = append(ids, id(one))
	}
	return ids
}

func (a *account) liveInstances() []string {
	return live(a.service.Instances(), func(in fakeservice.Instance) string { return in.ID })
}

func (a *account) liveWebhooks() []string {
	return live(a.service.Webhooks(), func(w fakeservice.Webhook) string { return w.ID })
}

// look records the account's current state, which it reads directly from core.
func (a *account) look() {
	note := func(known *[]string, ids []string) {
		for _, id := range ids {
			if !slices.Contains(*known, id) {
				*known = append(*known, id)
			}
		}
	}
	note(&a.instances, a.liveInstances())
	note(&a.webhooks, a.liveWebhooks())
	note(&a.jobs, live(a.service.Jobs(), func(j fakeservice.Job) string { return j.ID }))
	a.present = a.all()
}

// all returns the account's state as JSON.
func (a *account) all() string {
	ctx := context.Background()
	var records []any
	add := func(record any, err error) {
		if err != nil {
			record = err.Error()
		}
		records = append(records, record)
	}
	add(read(a.service.Account(ctx)))
	add(read(a.service.ListWebhooks(ctx)))
	add(read(a.service.Billing(ctx)))
	add(a.service.Webhooks(), nil)
	for _, id := range a.liveInstances() {
		add(read(a.service.ReadInstance(ctx, id)))
		add(read(a.service.Connection(ctx, id)))
		add(read(a.service.Backups(ctx, id)))
		add(read(a.service.ListDatabases(ctx, id)))
		add(read(a.service.ListExtensions(ctx, id, "")))
		add(a.service.Apps(id), nil)
	}
	text, err := json.Marshal(records)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// read converts a typed result.
func read[T any](record T, err error) (any, error) { return record, err }

// advance moves the account's clock forward.
func (a *account) advance(d time.Duration) {
	if d > 0 {
		a.service.Advance(d)
		a.look()
	}
}

// jobOf returns a job of the account.
func (a *account) jobOf(id string) (core.JobRecord, error) {
	return a.service.Job(context.Background(), id)
}
