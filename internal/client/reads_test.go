package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// fleet serves n instances in pages of 200. Each answer takes a second.
func fleet(n int) http.HandlerFunc {
	record := func(k int) object { return object{"id": fmt.Sprint("i-", k), "status": "running"} }
	return func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Second)
		path := strings.TrimPrefix(r.URL.Path, "/api/v1/instances")
		if path == "" {
			from := 0
			fmt.Sscan(r.URL.Query().Get("cursor"), &from)
			items := []object{}
			for k := from; k < min(n, from+200); k++ {
				items = append(items, record(k))
			}
			answer := object{"instances": items}
			if from+200 < n {
				answer["next_cursor"] = fmt.Sprint(from + 200)
			}
			respond(w, 200, answer)
			return
		}
		if strings.HasSuffix(path, "/allowlist") {
			respond(w, 202, object{"job_id": "j-1"})
			return
		}
		k := 0
		fmt.Sscanf(path, "/i-%d", &k)
		if k >= n {
			refuse(w, 404, "not_found")
			return
		}
		respond(w, 200, record(k))
	}
}

func TestRefreshRequests(t *testing.T) {
	for _, row := range []struct {
		name        string
		account     int
		ask         []int
		pages, ones int
	}{
		{"two are read alone", 50, []int{0, 1}, 0, 2},
		{"fifty cost one list", 50, seq(50), 1, 2},
		{"one again and again", 50, []int{3, 3, 3}, 0, 1},
		{"three in ten thousand stay cheap", 10000, []int{9000, 9001, 9002}, 3, 3},
		{"five hundred are three pages", 500, seq(500), 3, 2},
	} {
		inBubble(t, row.name, func(t *testing.T) {
			c, wire := newTestClient(t, fleet(row.account))
			for _, k := range row.ask {
				id := fmt.Sprint("i-", k)
				if i, err := c.RefreshInstance(t.Context(), id); err != nil || i.ID != id {
					t.Fatalf("RefreshInstance: got %+v and error %v, want %s", i, err, id)
				}
			}
			pages, ones := 0, 0
			for _, request := range wire.Requests() {
				if request == "GET /instances" {
					pages++
				} else {
					ones++
				}
			}
			if pages != row.pages || ones != row.ones {
				t.Errorf("got %d pages and %d single reads, want %d and %d", pages, ones, row.pages, row.ones)
			}
		})
	}
}

func seq(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}

func TestConcurrentRefreshesShareRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, fleet(50))
		var all sync.WaitGroup
		for k := range 50 {
			all.Go(func() {
				if _, err := c.RefreshInstance(t.Context(), fmt.Sprint("i-", k)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := len(wire.Requests()); n != 3 {
			t.Errorf("concurrent reads of 50 instances: got %d requests, want 3", n)
		}
	})
}

func TestAbsenceFromTheListIsNotDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		serve := fleet(5)
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1/instances" {
				respond(w, 200, object{"instances": []object{}})
				return
			}
			serve(w, r)
		})
		for k := range 5 {
			if _, err := c.RefreshInstance(t.Context(), fmt.Sprint("i-", k)); err != nil {
				t.Error(err)
			}
		}
		if _, err := c.RefreshInstance(t.Context(), "i-77"); !errors.Is(err, ErrNotFound) {
			t.Errorf("RefreshInstance: got error %v, want ErrNotFound", err)
		}
	})
}

func TestChangeDropsWhatWasReadBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, fleet(5))
		for k := range 5 {
			must.Get(c.RefreshInstance(t.Context(), fmt.Sprint("i-", k)))(t)
		}
		before := len(wire.Requests())
		turn, _ := c.Enter(t.Context(), "i-4")
		must.Get(turn.SetAllowlist(t.Context(), nil))(t)
		turn.Leave()
		for k := range 5 {
			must.Get(c.RefreshInstance(t.Context(), fmt.Sprint("i-", k)))(t)
		}
		if got := wire.Requests()[before:]; strings.Join(got, ", ") != "PUT /instances/i-4/allowlist, GET /instances/i-4" {
			t.Errorf("requests after the change: got %v, want the change and one read of its instance", got)
		}
	})
}

// SQL may create and drop objects that are in the lists.
func TestQueryDropsWhatWasReadBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dropped := false
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost:
				dropped = true
				respond(w, 200, object{"columns": []any{}, "rows": []any{}, "row_count": 0, "command": "DROP DATABASE"})
			case dropped:
				respond(w, 200, object{"databases": []any{}})
			default:
				respond(w, 200, object{"databases": []any{object{"name": "shop"}}})
			}
		})
		must.Get(c.RefreshDatabase(t.Context(), "i-1", "shop"))(t)
		turn, _ := c.Enter(t.Context(), "i-1")
		defer turn.Leave()
		must.Do(t, turn.Query(t.Context(), "", "drop database shop"))
		if _, err := c.RefreshDatabase(t.Context(), "i-1", "shop"); !errors.Is(err, ErrNotFound) {
			t.Errorf("RefreshDatabase after it was dropped: got error %v, want ErrNotFound", err)
		}
	})
}

func TestReadBegunBeforeAChangeIsThrownAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, fleet(5))
		done := make(chan error)
		go func() { _, err := c.RefreshInstance(t.Context(), "i-1"); done <- err }()
		time.Sleep(500 * time.Millisecond) // the read is in progress
		c.reads.changed("i-1")
		must.Do(t, <-done)
		if n := len(wire.Requests()); n != 2 {
			t.Errorf("reads: got %d, want 2, the second after the change", n)
		}
	})
}

// A read that begins and ends while a change is in flight may show the record from before
// the change.
func TestReadDuringAChangeIsThrownAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				time.Sleep(10 * time.Second)
				respond(w, 202, object{"job_id": "j-1"})
				return
			}
			respond(w, 200, object{"id": "i", "status": "running"})
		})
		turn := enter(t, c)
		defer turn.Leave()
		done := make(chan error, 1)
		go func() { _, err := turn.SetAllowlist(t.Context(), nil); done <- err }()
		time.Sleep(9 * time.Second)
		for range 2 {
			must.Get(c.RefreshInstance(t.Context(), "i"))(t)
		}
		must.Do(t, <-done)
		must.Get(c.RefreshInstance(t.Context(), "i"))(t)
		if got, want := strings.Join(wire.Requests(), ", "), "PUT /instances/i/allowlist, GET /instances/i, GET /instances/i"; got != want {
			t.Errorf("got the requests %s, want %s", got, want)
		}
	})
}

func TestSnapshotGrowsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, fleet(5))
		for range 2 {
			for k := range 5 {
				must.Get(c.RefreshInstance(t.Context(), fmt.Sprint("i-", k)))(t)
			}
			time.Sleep(snapshotAge)
		}
		if n := len(wire.Requests()); n != 4 { // two individually, and the list twice
			t.Errorf("requests: got %v, want four", wire.Requests())
		}
	})
}

func TestCancelledRefreshDoesNotEndTheSharedRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, fleet(5))
		impatient, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		first := make(chan error, 1)
		go func() { _, err := c.RefreshInstance(impatient, "i-1"); first <- err }()
		synctest.Wait()
		if _, err := c.RefreshInstance(t.Context(), "i-1"); err != nil {
			t.Errorf("the patient reader: got error %v, want none", err)
		}
		if err := <-first; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the impatient reader: got error %v, want context.DeadlineExceeded", err)
		}
		if n := len(wire.Requests()); n != 1 {
			t.Errorf("requests: got %d, want 1", n)
		}
	})
}

func TestAppsAreListedOncePerInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/api/v1/instances/i/apps":
				respond(w, 200, object{"apps": []object{{"name": "a"}, {"name": "b"}}})
			case "/api/v1/instances/i/apps/late":
				respond(w, 200, object{"name": "late"})
			default:
				refuse(w, 404, "not_found")
			}
		})
		for _, name := range []string{"a", "b", "a", "late"} {
			if app, err := c.RefreshApp(t.Context(), "i", name); err != nil || app.Name != name {
				t.Errorf("RefreshApp: got %+v and error %v, want %s", app, err, name)
			}
		}
		if _, err := c.RefreshApp(t.Context(), "i", "gone"); !errors.Is(err, ErrNotFound) {
			t.Errorf("RefreshApp: got error %v, want ErrNotFound", err)
		}
		if got := strings.Join(wire.Requests(), ", "); got != "GET /instances/i/apps, GET /instances/i/apps/late, GET /instances/i/apps/gone, GET /instances/i/apps/gone, GET /instances/i/apps" {
			t.Errorf("requests: got %s, want the list, late, gone twice and the list", got)
		}
	})
}

// The list only saves requests. If it cannot be read, each instance is read individually,
// and that takes no longer than one read.
func TestListThatCannotBeRead(t *testing.T) {
	for name, list := range map[string]http.HandlerFunc{
		"forbidden":              func(w http.ResponseWriter, _ *http.Request) { refuse(w, 403, "forbidden") },
		"not there":              func(w http.ResponseWriter, _ *http.Request) { refuse(w, 404, "not_found") },
		"a gateway's page":       func(w http.ResponseWriter, _ *http.Request) { gatewayPage(w, 403) },
		"another shape":          says(200, object{"machines": []object{}}),
		"maintenance":            says(200, object{"message": "maintenance"}),
		"an unreadable instance": says(200, object{"instances": []object{{"id": "i-3", "engines": 7}}}),
		"a circle":               says(200, object{"instances": []object{}, "next_cursor": "a"}),
		"without end": func(w http.ResponseWriter, r *http.Request) {
			respond(w, 200, object{"instances": []object{}, "next_cursor": r.URL.Query().Get("cursor") + "x"})
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			serve := fleet(10)
			c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/api/v1/instances" {
					list(w, r)
					return
				}
				serve(w, r)
			})
			for k := range 10 {
				if i, err := c.RefreshInstance(t.Context(), fmt.Sprint("i-", k)); err != nil || i.ID != fmt.Sprint("i-", k) {
					t.Errorf("RefreshInstance: got %+v and error %v, want i-%d", i, err, k)
				}
			}
			pages := 0
			for _, request := range wire.Requests() {
				if request == "GET /instances" {
					pages++
				}
			}
			most := 10
			if name == "forbidden" {
				most = 1 // a refusal holds for the refreshes that follow
			}
			if ones := len(wire.Requests()) - pages; ones != 10 || pages > most {
				t.Errorf("reads of ten instances: got %d single ones and %d pages, want 10 and at most %d", ones, pages, most)
			}
		})
	}
}

// The list of this service takes longer than the maximum age of a snapshot.
func TestSlowList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1/instances" {
				time.Sleep(snapshotAge + time.Second)
			}
			fleet(500)(w, r)
		})
		if _, err := c.Instance(t.Context(), "i-1"); err != nil { // the service is known from now on
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for k := range 20 {
			all.Go(func() {
				if _, err := c.RefreshInstance(within(t, time.Hour), fmt.Sprint("i-", 200+k)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := len(wire.Requests()); n > 10 {
			t.Errorf("requests: got %v, want at most ten", wire.Requests())
		}
	})
}

// A page belongs to no list if a new list has been begun in the meantime. The new list
// reads the page again.
func TestPageOfAListThatWasBegunAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, fleet(500))
		for k := range 3 {
			must.Get(c.RefreshInstance(t.Context(), fmt.Sprint("i-", k)))(t)
		}
		cursor, due := c.reads.nextPage(recent())
		if cursor != "200" || !due {
			t.Fatalf("the next page: got %q, due: %t, want 200, due", cursor, due)
		}
		time.Sleep(snapshotAge)
		if anew, due := c.reads.nextPage(recent()); anew != "" || !due {
			t.Fatalf("the first page of the new list: got %q, due: %t, want \"\", due", anew, due)
		}
		_ = c.readPage(t.Context(), cursor) // by a caller that got the cursor earlier
		if _, err := c.RefreshInstance(t.Context(), "i-250"); err != nil {
			t.Error(err)
		}
	})
}

// SeenInstance returns an instance that a refresh has read, individually or in a list,
// until the read is too old or the instance has changed. It never sends a request.
func TestSeenInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, fleet(50))
		mustSee := func(why, id string, want bool) {
			t.Helper()
			before := len(wire.Requests())
			if got, seen := c.SeenInstance(id); seen != want || seen && got.ID != id {
				t.Errorf("%s: SeenInstance(%s) = %q, %t, want %t", why, id, got.ID, seen, want)
			}
			if len(wire.Requests()) != before {
				t.Errorf("%s: SeenInstance: got a request, want none", why)
			}
		}
		mustSee("before any read", "i-1", false)
		for k := range 3 {
			must.Get(c.RefreshInstance(t.Context(), fmt.Sprint("i-", k)))(t)
			mustSee("read", fmt.Sprint("i-", k), true)
		}
		mustSee("listed", "i-40", true)
		c.reads.changed("i-1")
		mustSee("changed", "i-1", false)
		time.Sleep(snapshotAge)
		mustSee("too old", "i-2", false)
	})
}

// The own record of an instance is read once, and not taken from the list.
func TestRefreshUnlistedInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1/instances" {
				respond(w, 200, object{"instances": []object{{"id": "a", "tags": []string{}}, {"id": "b"}, {"id": "c"}}})
				return
			}
			respond(w, 200, object{"id": path.Base(r.URL.Path), "tags": []string{"own"}})
		})
		for _, id := range []string{"b", "c", "a"} {
			must.Get(c.RefreshInstance(t.Context(), id))(t)
		}
		for range 2 {
			got, err := c.RefreshUnlistedInstance(t.Context(), "a")
			if err != nil || !slices.Equal(got.Tags.Value, []string{"own"}) {
				t.Errorf("the instance: got %+v and error %v, want the tag own", got, err)
			}
		}
		if n := wire.Count("GET /instances/a"); n != 1 {
			t.Errorf("reads of the own record: got %d, want 1", n)
		}
	})
}
