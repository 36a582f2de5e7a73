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

// account is an account with the fake that serves it, and what is known of it.
type account struct {
	// mark is in every name that the account gives, and in no name of another account.
	mark    string
	service *fakeservice.Service
	// revoked is a key that was taken away.
	revoked string
	// instances, webhooks and jobs are the ids of all that were seen, in order.
	instances, webhooks, jobs []string
	// deleting are the instances whose deletion was accepted, with the jobs, and deleted
	// what is gone for good.
	deleting map[string]string
	deleted  map[string]bool
	// cursors are those of lists, and some that no list has returned.
	cursors []string
	// repeatables are the requests with an Idempotency-Key, by path and key, and last is
	// the last of them.
	repeatables map[string]repeatable
	last        repeatable
	// effects are what requests that were accepted are yet to bring about.
	effects []*effect
	// cookie is the session at the portal, nil before the sign-in.
	cookie *http.Cookie
	// present is what the account has, as JSON.
	present string
}

// stillness is how fast the clocks of the fakes run by themselves: so slowly that only
// Advance counts, and a sequence plays the same however long it takes.
const stillness = 1e-3

// begin is when the clocks begin: in the middle of a minute, so that none ends by itself.
var begin = time.Date(2030, 1, 1, 12, 0, 30, 0, time.UTC)

// newAccount starts a fake with an instance that has everything, and a smaller one.
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

// instance returns an instance of the account that is there.
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

// ofAll returns what all instances of the account have, one of which has each.
func (a *account) ofAll(of func(instance string) []string) []string {
	var names []string
	for _, id := range a.liveInstances() {
		names = append(names, of(id)...)
	}
	return names
}

// live returns those of a kind that are there, in order.
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

// look notes what the account has now, by the operations of core and not by a face.
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

// all returns everything that the account has, as JSON.
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

// read makes any record of one of a type.
func read[T any](record T, err error) (any, error) { return record, err }

// advance lets the account's clock run.
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
