package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// absencePause is the time between the two reads that confirm an absence.
const absencePause = ReadLag

func notFound(w http.ResponseWriter, _ *http.Request) { refuse(w, 404, "not_found") }

func TestAbsenceIsConfirmed(t *testing.T) {
	there := says(200, object{"id": "i", "status": "running"})
	errHidden := &HiddenError{} // stands for any
	none := says(200, object{"instances": []object{{"id": "another"}}})
	holds := says(200, object{"instances": []object{{"id": "i"}}})
	for name, row := range map[string]struct {
		record, list http.HandlerFunc
		err          error // nil if the instance exists
		takes        time.Duration
	}{
		"gone":                            {notFound, none, ErrNotFound, absencePause},
		"there":                           {there, none, nil, 0},
		"there again":                     {inTurn(notFound, there), none, nil, absencePause},
		"the list holds it":               {notFound, holds, ErrContradiction, absencePause},
		"the list is empty":               {notFound, says(200, []object{}), ErrNotFound, absencePause},
		"the list is forbidden":           {notFound, gateway(403), ErrForbidden, absencePause},
		"the list is somebody else's":     {notFound, says(200, object{"message": "maintenance"}), transport.ErrForeign, absencePause},
		"the list is not found":           {notFound, notFound, errHidden, absencePause},
		"then the service has trouble":    {inTurn(notFound, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 500, "internal") }), none, ErrUnavailable, absencePause + 5*time.Second},
		"then a gateway's page":           {inTurn(notFound, gateway(404)), none, transport.ErrForeign, absencePause + 5*time.Second},
		"a gateway's page":                {gateway(404), none, transport.ErrForeign, 5 * time.Second},
		"410 of a gateway":                {gateway(410), none, transport.ErrForeign, 5 * time.Second},
		"410 of the service":              {func(w http.ResponseWriter, _ *http.Request) { refuse(w, 410, "not_found") }, none, ErrNotFound, absencePause},
		"404 with another code":           {func(w http.ResponseWriter, _ *http.Request) { refuse(w, 404, "no_such_route") }, none, &transport.APIError{}, 0},
		"another record":                  {says(200, object{"id": "another"}), none, transport.ErrForeign, 0},
		"maintenance":                     {says(200, object{"message": "maintenance"}), none, transport.ErrForeign, 0},
		"a gateway's page, then there":    {inTurn(gateway(404), gateway(404), there), none, nil, 5 * time.Second},
		"first a gateway's page, then no": {inTurn(gateway(404), gateway(404), notFound), none, ErrNotFound, absencePause + 5*time.Second},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, _ := newTestClient(t, script{"GET /instances/i": row.record, "GET /instances": row.list}.Serve)
			begun := time.Now()
			instance, err := c.RefreshInstance(t.Context(), "i")
			if row.err == nil && (err != nil || instance.ID != "i") {
				t.Errorf("RefreshInstance: got %+v and error %v, want the instance i", instance, err)
			}
			if row.err == errHidden {
				if !isAs[*HiddenError](err) {
					t.Errorf("RefreshInstance: got error %v, want a *HiddenError", err)
				}
			} else if _, any := row.err.(*transport.APIError); !any && row.err != nil && !errors.Is(err, row.err) || any && !isAs[*transport.APIError](err) {
				t.Errorf("RefreshInstance: got error %v, want %v", err, row.err)
			}
			if errors.Is(err, ErrNotFound) != errors.Is(row.err, ErrNotFound) {
				t.Errorf("RefreshInstance: got error %v, want %v", err, row.err)
			}
			if took := time.Since(begun); took > row.takes || errors.Is(err, ErrNotFound) && took < absencePause {
				t.Errorf("the read: got an answer after %s, want one in at most %s, and an absence after %s at least", took, row.takes, absencePause)
			}
		})
	}
}

// A gateway that is being reconfigured for 20 s removes nothing from the state.
func TestForeign404For20sWhileRefreshing(t *testing.T) {
	for what, read := range map[string]func(context.Context, *Client) error{
		"instance":  func(ctx context.Context, c *Client) error { return second(c.RefreshInstance(ctx, "i")) },
		"app":       func(ctx context.Context, c *Client) error { return second(c.RefreshApp(ctx, "i", "a")) },
		"database":  func(ctx context.Context, c *Client) error { return second(c.RefreshDatabase(ctx, "i", "d")) },
		"extension": func(ctx context.Context, c *Client) error { return second(c.RefreshExtension(ctx, "i", "d", "e")) },
		"webhook":   func(ctx context.Context, c *Client) error { return second(c.RefreshWebhook(ctx, "w")) },
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := newTestClient(t, during(20*time.Second, gateway(404), notFound))
			err := read(t.Context(), c)
			if err == nil || errors.Is(err, ErrNotFound) || !contains(err.Error(), "https://hosting.example/api/v1") {
				t.Errorf("%s: got error %v, want one that names the base URL and is not ErrNotFound", what, err)
			}
		})
	}
}

// Concurrent absences are confirmed in one pause.
func TestAbsencesShareAPause(t *testing.T) {
	for _, workers := range []int{100, 10} {
		synctest.Test(t, func(t *testing.T) {
			c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/api/v1/instances" {
					respond(w, 200, object{"instances": []object{}})
					return
				}
				notFound(w, r)
			})
			begun := time.Now()
			work := make(chan int)
			var all sync.WaitGroup
			for range workers {
				all.Go(func() {
					for k := range work {
						if _, err := c.RefreshInstance(t.Context(), fmt.Sprint("i-", k)); !errors.Is(err, ErrNotFound) {
							t.Errorf("RefreshInstance: got error %v, want ErrNotFound", err)
						}
					}
				})
			}
			for k := range 100 {
				work <- k
			}
			close(work)
			all.Wait()
			lists := 0
			for _, request := range wire.Requests() {
				if request == "GET /instances" {
					lists++
				}
			}
			t.Logf("%d workers: %d requests, %d of them lists, in %s", workers, len(wire.Requests()), lists, time.Since(begun))
			if took := time.Since(begun); took > 2*absencePause || lists > 5 {
				t.Errorf("%d workers: got %d lists in %s, want at most 5 in %s", workers, lists, took, 2*absencePause)
			}
		})
	}
}

// The children of an instance that is confirmed gone are gone, too.
func TestChildrenOfAGoneInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1/instances" {
				respond(w, 200, []object{})
				return
			}
			notFound(w, r)
		})
		if _, err := c.RefreshInstance(t.Context(), "i"); !errors.Is(err, ErrNotFound) {
			t.Fatalf("RefreshInstance: got error %v, want ErrNotFound", err)
		}
		begun, before := time.Now(), len(wire.Requests())
		for _, err := range []error{
			second(c.RefreshInstance(t.Context(), "i")), second(c.RefreshApp(t.Context(), "i", "a")),
			second(c.RefreshDatabase(t.Context(), "i", "d")), second(c.RefreshExtension(t.Context(), "i", "d", "e")),
		} {
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("a read after the first: got error %v, want ErrNotFound", err)
			}
		}
		if took := time.Since(begun); took > 0 {
			t.Errorf("the reads: got an answer after %s, want one at once", took)
		}
		if n := len(wire.Requests()) - before; n > 5 {
			t.Errorf("requests: got %d, want at most 5", n)
		}
	})
}

// A child is confirmed like an instance: its list is read again after the pause.
func TestAbsentChildren(t *testing.T) {
	with := func(collection, name string) http.HandlerFunc {
		return says(200, object{collection: []object{{"name": name, "database": "d", "id": name}}})
	}
	for what, row := range map[string]struct {
		read     func(context.Context, *Client, string) error
		script   script
		gone, is string
	}{
		"app": {
			func(ctx context.Context, c *Client, name string) error { return second(c.RefreshApp(ctx, "i", name)) },
			script{"GET /instances/i/apps": inTurn(with("apps", "other"), with("apps", "late")), "GET /instances/i/apps/late": inTurn(notFound, says(200, object{"name": "late"}))},
			"never", "late",
		},
		"database": {
			func(ctx context.Context, c *Client, name string) error {
				return second(c.RefreshDatabase(ctx, "i", name))
			},
			script{"GET /instances/i/postgres/databases": inTurn(with("databases", "other"), with("databases", "late"))},
			"never", "late",
		},
		"extension": {
			func(ctx context.Context, c *Client, name string) error {
				return second(c.RefreshExtension(ctx, "i", "d", name))
			},
			script{"GET /instances/i/postgres/extensions": inTurn(with("extensions", "other"), with("extensions", "late"))},
			"never", "late",
		},
		"webhook": {
			func(ctx context.Context, c *Client, id string) error { return second(c.RefreshWebhook(ctx, id)) },
			script{"GET /webhooks": with("webhooks", "other"), "GET /webhooks/late": inTurn(notFound, says(200, object{"id": "late"}))},
			"never", "late",
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := newTestClient(t, row.script.Serve)
			begun := time.Now()
			if err := row.read(t.Context(), c, row.is); err != nil {
				t.Errorf("%s that exists: got error %v, want none", what, err)
			}
			if err := row.read(t.Context(), c, row.gone); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s that is gone: got error %v, want ErrNotFound", what, err)
			}
			if took := time.Since(begun); took < absencePause {
				t.Errorf("%s: got the absence after %s, want it after %s at least", what, took, absencePause)
			}
		})
	}
	inBubble(t, "an app that its list holds", func(t *testing.T) {
		c, _ := newTestClient(t, script{"GET /instances/i/apps": inTurn(with("apps", "other"), with("apps", "a"))}.Serve)
		if _, err := c.RefreshApp(t.Context(), "i", "a"); !errors.Is(err, ErrContradiction) {
			t.Errorf("RefreshApp: got error %v, want ErrContradiction", err)
		}
	})
}

// If an object exists between two absences, the second absence needs its own pause.
func TestAbsenceThatWasNotConfirmedBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lagging atomic.Bool
		lagging.Store(true)
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/instances"):
				respond(w, 200, []object{})
			case lagging.Load():
				notFound(w, r)
			default:
				respond(w, 200, object{"id": "i"})
			}
		})
		if _, err := c.RefreshInstance(within(t, time.Second), "i"); errors.Is(err, ErrNotFound) || err == nil {
			t.Errorf("RefreshInstance: got error %v, want an error other than ErrNotFound", err)
		}
		lagging.Store(false)
		time.Sleep(time.Minute)
		must.Get(c.Instance(t.Context(), "i"))(t)
		time.Sleep(time.Minute)
		lagging.Store(true)
		time.AfterFunc(10*time.Second, func() { lagging.Store(false) })
		if _, err := c.RefreshInstance(t.Context(), "i"); err != nil {
			t.Errorf("RefreshInstance of an instance that was away for 10 s: got error %v, want none", err)
		}
	})
}

// A list from before a creation does not prove that the new instance is absent.
func TestListFromBeforeACreationProvesNoAbsence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, script{
			"GET /instances":     says(200, []object{{"id": "i-1"}, {"id": "i-2"}, {"id": "i-3"}}),
			"GET /instances/i-1": says(200, object{"id": "i-1"}),
			"GET /instances/i-2": says(200, object{"id": "i-2"}),
			"POST /instances":    says(202, object{"id": "new", "job_id": "j"}),
		}.Serve)
		for _, id := range []string{"i-1", "i-2", "i-3"} {
			must.Get(c.RefreshInstance(t.Context(), id))(t)
		}
		time.Sleep(absencePause)
		must.Get(c.CreateInstance(t.Context(), NewInstance{InstanceSettings: InstanceSettings{Name: Some("web")}, Plan: "free", Region: "eu"}))(t)
		begun := time.Now()
		if _, err := c.RefreshInstance(t.Context(), "new"); !errors.Is(err, ErrNotFound) || time.Since(begun) < absencePause {
			t.Errorf("RefreshInstance: got error %v after %s, want ErrNotFound after %s at least", err, time.Since(begun), absencePause)
		}
	})
}

// A key may read an instance and nothing below it. Then the service answers "not found" for
// each collection. That is a refusal in the service's words, and proves no absence.
func TestHiddenCollections(t *testing.T) {
	const words = "project p is not visible with this key"
	record := object{"id": "i", "status": "running", "engines": []string{"postgres", "apps", "auth"}}
	for name, refresh := range map[string]func(context.Context, *Client) error{
		"app":       func(ctx context.Context, c *Client) error { return second(c.RefreshApp(ctx, "i", "a")) },
		"database":  func(ctx context.Context, c *Client) error { return second(c.RefreshDatabase(ctx, "i", "d")) },
		"extension": func(ctx context.Context, c *Client) error { return second(c.RefreshExtension(ctx, "i", "d", "e")) },
		"apps":      func(ctx context.Context, c *Client) error { return second(c.Apps(ctx, "i")) },
		"backups":   func(ctx context.Context, c *Client) error { return second(c.Backups(ctx, "i")) },
		"creation": func(ctx context.Context, c *Client) error {
			turn, err := c.Enter(ctx, "i")
			if err != nil {
				return err
			}
			defer turn.Leave()
			return second(turn.CreateDatabase(ctx, "d"))
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/api/v1/instances/i":
					respond(w, 200, record)
				default:
					respond(w, 404, object{"code": "not_found", "detail": words})
				}
			})
			err := refresh(t.Context(), c)
			if errors.Is(err, ErrNotFound) || !isAs[*HiddenError](err) || !contains(err.Error(), words) || wire.Count("POST") > 0 {
				t.Errorf("%s: got error %v and %d POSTs, want a *HiddenError with the service's words, and none", name, err, wire.Count("POST"))
			}
		})
	}
}

// A setting is gone with its instance. That, too, is reported only when it is confirmed.
func TestAbsentSettings(t *testing.T) {
	running := says(200, object{"id": "i", "status": "running", "engines": []string{"postgres", "auth"}})
	for name, refresh := range map[string]func(context.Context, *Client) error{
		"allowlist":     func(ctx context.Context, c *Client) error { _, err := c.RefreshAllowlist(ctx, "i"); return err },
		"console mode":  func(ctx context.Context, c *Client) error { _, err := c.RefreshConsoleMode(ctx, "i"); return err },
		"auth settings": func(ctx context.Context, c *Client) error { _, err := c.RefreshAuthSettings(ctx, "i"); return err },
	} {
		for row, answers := range map[string]struct {
			setting, instance http.HandlerFunc
			err               error // nil also for a *HiddenError
		}{
			"gone":            {notFound, notFound, ErrNotFound},
			"there again":     {inTurn(notFound, says(200, object{"mode": "ro"})), running, nil},
			"a gateway's 404": {gateway(404), running, transport.ErrForeign},
			"hidden":          {notFound, running, nil},
		} {
			inBubble(t, name+", "+row, func(t *testing.T) {
				c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
					switch r.URL.Path {
					case "/api/v1/instances":
						respond(w, 200, []object{})
					case "/api/v1/instances/i":
						answers.instance(w, r)
					default:
						answers.setting(w, r)
					}
				})
				begun := time.Now()
				err := refresh(t.Context(), c)
				if hides := isAs[*HiddenError](err); hides != (row == "hidden") || !hides && !errors.Is(err, answers.err) {
					t.Errorf("the read: got error %v, want %v", err, answers.err)
				}
				if waited := time.Since(begun) >= absencePause; waited == (row == "a gateway's 404") {
					t.Errorf("the read: got an answer after %s, want the absence confirmed for %s unless a gateway answers 404", time.Since(begun), absencePause)
				}
			})
		}
	}
}

// If an engine is off, its data is deleted. The service then refuses to list the data and
// never returns an empty list. A refresh of that data used to fail permanently.
func TestRefreshEngine(t *testing.T) {
	record := func(engines any) http.HandlerFunc {
		return says(200, object{"id": "i", "status": "running", "engines": engines})
	}
	off, on := record(object{"redis": object{}}), record(object{"postgres": object{}})
	gone := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 404, "not_found") }
	for name, row := range map[string]struct {
		record http.HandlerFunc
		gone   bool
		fails  bool
	}{
		"it is on":                   {on, false, false},
		"it is off":                  {off, true, true},
		"it is on again":             {inTurn(off, on), false, false},
		"the record does not tell":   {says(200, object{"id": "i", "status": "running"}), false, false},
		"the instance is gone":       {gone, true, true},
		"the record cannot be read":  {gateway(403), false, true},
		"nobody tells it once more":  {inTurn(off, gateway(403)), false, true},
		"the names alone, and no it": {record([]string{"redis"}), true, true},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, _ := newTestClient(t, script{"GET /instances/i": row.record, "GET /instances": says(200, []object{})}.Serve)
			begun := time.Now()
			err := c.RefreshEngine(t.Context(), "i", "postgres")
			if (err != nil) != row.fails || errors.Is(err, ErrNotFound) != row.gone {
				t.Errorf("RefreshEngine: got error %v, want an error: %t, gone: %t", err, row.fails, row.gone)
			}
			if row.gone && time.Since(begun) < absencePause {
				t.Errorf("the absence: got it after %s, want it confirmed for %s", time.Since(begun), absencePause)
			}
		})
	}
}

func TestGoneWithItsEngine(t *testing.T) {
	refusal := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 422, "validation_failed") }
	record := func(engines any) http.HandlerFunc {
		return says(200, object{"id": "i", "status": "running", "engines": engines})
	}
	off, on := record(object{"redis": object{}}), record(object{"postgres": object{}, "auth": object{}})
	for name, row := range map[string]struct {
		list, record http.HandlerFunc
		gone         bool
	}{
		"the engine is off":             {refusal, off, true},
		"it is on":                      {refusal, on, false},
		"it is on again":                {refusal, inTurn(off, on), false},
		"the record does not tell":      {refusal, says(200, object{"id": "i", "status": "running"}), false},
		"the record cannot be read":     {refusal, gateway(403), false},
		"the list is somebody's page":   {gateway(404), off, false},
		"the list is refused to anyone": {func(w http.ResponseWriter, _ *http.Request) { refuse(w, 403, "forbidden") }, off, false},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, _ := newTestClient(t, script{
				"GET /instances/i": row.record, "GET /instances/i/postgres/databases": row.list, "GET /instances/i/postgres/extensions": row.list,
				"GET /instances/i/sql-console": row.list, "GET /instances/i/engines/auth/settings": row.list,
			}.Serve)
			begun := time.Now()
			_, err := c.RefreshDatabase(t.Context(), "i", "shop")
			_, extensionErr := c.RefreshExtension(t.Context(), "i", "shop", "pgvector")
			_, consoleErr := c.RefreshConsoleMode(t.Context(), "i")
			_, authErr := c.RefreshAuthSettings(t.Context(), "i")
			for what, err := range map[string]error{"database": err, "extension": extensionErr, "console mode": consoleErr, "auth settings": authErr} {
				if err == nil || errors.Is(err, ErrNotFound) != row.gone {
					t.Errorf("%s: got %v, want gone %t", what, err, row.gone)
				}
			}
			if row.gone && time.Since(begun) < absencePause {
				t.Errorf("the absence: got it after %s, want it confirmed for %s", time.Since(begun), absencePause)
			}
		})
	}
}

// A gateway answers 5xx for what is below an instance that does not run, or is gone. The
// instance's own record says which.
func TestUnavailableBelowAnInstance(t *testing.T) {
	for name, row := range map[string]struct {
		instance http.HandlerFunc
		err      error
		text     string
	}{
		"it runs":           {says(200, object{"id": "i", "status": "running"}), ErrUnavailable, "<html>"},
		"it pauses":         {says(200, object{"id": "i", "status": "Pausing"}), ErrUnavailable, "; instance i is pausing"},
		"it has no status":  {says(200, object{"id": "i"}), ErrUnavailable, "<html>"},
		"it is gone":        {notFound, ErrNotFound, ""},
		"it cannot be read": {gateway(503), ErrUnavailable, "<html>"},
	} {
		for kind, refresh := range map[string]func(context.Context, *Client) error{
			"app":       func(ctx context.Context, c *Client) error { return second(c.RefreshApp(ctx, "i", "web")) },
			"database":  func(ctx context.Context, c *Client) error { return second(c.RefreshDatabase(ctx, "i", "d")) },
			"extension": func(ctx context.Context, c *Client) error { return second(c.RefreshExtension(ctx, "i", "d", "e")) },
			"allowlist": func(ctx context.Context, c *Client) error { return second(c.RefreshAllowlist(ctx, "i")) },
		} {
			inBubble(t, name+", "+kind, func(t *testing.T) {
				c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
					switch r.URL.Path {
					case "/api/v1/instances":
						respond(w, 200, []object{})
					case "/api/v1/instances/i":
						row.instance(w, r)
					default:
						gatewayPage(w, 503)
					}
				})
				err := refresh(t.Context(), c)
				if !errors.Is(err, row.err) || !strings.Contains(fmt.Sprint(err), row.text) {
					t.Errorf("the read: got error %v, want %v with %q", err, row.err, row.text)
				}
			})
		}
	}
}
