package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// pagesOf serves a list of instances by cursor: "a,b>c" is a page of a and b with the
// next cursor c.
func pagesOf(pages map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ids, next, _ := strings.Cut(pages[r.URL.Query().Get("cursor")], ">")
		items := []object{}
		for _, id := range strings.Split(ids, ",") {
			if id != "" {
				items = append(items, object{"id": id})
			}
		}
		answer := object{"instances": items, "next_cursor": nil}
		if next != "" {
			answer["next_cursor"] = next
		}
		respond(w, 200, answer)
	}
}

func TestPages(t *testing.T) {
	for name, row := range map[string]struct {
		pages    map[string]string
		ids      string
		requests int
	}{
		"one":                  {map[string]string{"": "a,b"}, "a b", 1},
		"none":                 {map[string]string{"": ""}, "", 1},
		"three":                {map[string]string{"": "a>1", "1": "b>2", "2": "c"}, "a b c", 3},
		"an empty one between": {map[string]string{"": "a>1", "1": ">2", "2": "c"}, "a c", 3},
	} {
		c, wire := newTestClient(t, pagesOf(row.pages))
		instances, err := c.Instances(t.Context())
		var ids []string
		for _, i := range instances {
			ids = append(ids, i.ID)
		}
		if got := strings.Join(ids, " "); err != nil || got != row.ids {
			t.Errorf("%s: got %q and error %v, want %q", name, got, err, row.ids)
		}
		if n := len(wire.Requests()); n != row.requests {
			t.Errorf("%s: got %d requests, want %d", name, n, row.requests)
		}
	}
}

// A list that shows that it has shifted is read again from its start. If it does so each
// time, it is an error: it may lack an item that exists.
func TestListThatShifts(t *testing.T) {
	whole := pagesOf(map[string]string{"": "a>1", "1": "b"})
	null := says(200, object{"instances": nil})
	for name, shifts := range map[string]http.HandlerFunc{
		"a cycle":                  pagesOf(map[string]string{"": "a>1", "1": "b>2", "2": "c>1"}),
		"a cycle to itself":        pagesOf(map[string]string{"": "a>1", "1": "b>1"}),
		"an item on two pages":     pagesOf(map[string]string{"": "a,b>1", "1": "b,c"}),
		"an item twice on one":     pagesOf(map[string]string{"": "a,b,a"}),
		"the same page once again": pagesOf(map[string]string{"": "a>1", "1": "a"}),
		"null":                     null,
	} {
		for _, passes := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				answer := shifts
				if passes {
					answer = during(time.Second, shifts, whole)
				}
				c, _ := newTestClient(t, answer)
				instances, err := c.Instances(t.Context())
				if passes && (err != nil || len(instances) != 2) || !passes && (!isAs[*ShiftedListError](err) || len(instances) > 0) {
					t.Errorf("%s, passes %t: got %d instances and error %v, want two if it passes, and otherwise a *ShiftedListError", name, passes, len(instances), err)
				}
			})
		}
	}
}

// A list that never ends is an error: its first part would otherwise prove absences.
func TestListThatNeverEnds(t *testing.T) {
	next := 0
	c, wire := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
		next++
		respond(w, 200, object{"instances": []object{{"id": fmt.Sprint("i-", next)}}, "next_cursor": fmt.Sprint(next)})
	})
	if _, err := c.Instances(t.Context()); !errors.Is(err, transport.ErrForeign) || !contains(err.Error(), "does not end") {
		t.Errorf("Instances: got error %v, want ErrForeign for a list that does not end", err)
	}
	if n := len(wire.Requests()); n != maxPages {
		t.Errorf("requests: got %d, want %d", n, maxPages)
	}
}

// If a page fails, the list is an error and not a shorter list.
func TestPageThatFails(t *testing.T) {
	good := pagesOf(map[string]string{"": "a>1"})
	c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") != "" {
			refuse(w, 403, "forbidden")
			return
		}
		good(w, r)
	})
	if instances, err := c.Instances(t.Context()); !errors.Is(err, ErrForbidden) || len(instances) > 0 {
		t.Errorf("Instances: got %v and error %v, want none and ErrForbidden", instances, err)
	}
}

func TestBuildsArePagedToo(t *testing.T) {
	c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") == "" {
			respond(w, 200, object{"builds": []object{{"id": "b-2"}}, "next_cursor": "more"})
			return
		}
		respond(w, 200, object{"builds": []object{{"id": "b-1"}}})
	})
	builds, err := c.Builds(t.Context(), "i", "a")
	if err != nil || len(builds) != 2 || builds[1].ID != "b-1" {
		t.Errorf("Builds: got %+v and error %v, want two builds, the second b-1", builds, err)
	}
}

// Billing has the charges of all pages, and the subscriptions of the first.
func TestChargesArePaged(t *testing.T) {
	c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
		answer := object{"subscriptions": []object{{"instance_id": "i"}}, "charges": []object{{"id": "c"}, {"id": "b"}}, "next_cursor": "older"}
		if r.URL.Query().Get("cursor") == "older" {
			answer = object{"subscriptions": []object{}, "charges": []object{{"id": "a"}}, "next_cursor": nil}
		}
		respond(w, 200, answer)
	})
	billing, err := c.Billing(t.Context())
	if err != nil || len(billing.Subscriptions) != 1 || len(billing.Charges) != 3 {
		t.Errorf("Billing: got %+v and error %v, want one subscription and three charges", billing, err)
	}
	if n := len(wire.Requests()); n != 2 {
		t.Errorf("requests: got %d, want 2", n)
	}
}

func TestBareLists(t *testing.T) {
	bare := func(items ...object) http.HandlerFunc { return says(200, items) }
	c, _ := newTestClient(t, script{
		"GET /instances":                       bare(object{"id": "i"}),
		"GET /webhooks":                        bare(object{"id": "w"}),
		"GET /locations":                       bare(object{"id": "eu"}),
		"GET /instances/i/apps":                bare(object{"name": "a"}),
		"GET /instances/i/apps/a/builds":       bare(object{"id": "b"}),
		"GET /instances/i/postgres/databases":  bare(object{"name": "d"}),
		"GET /instances/i/postgres/extensions": bare(object{"name": "e"}),
		"GET /instances/i/backups":             bare(object{"id": "b"}),
	}.Serve)
	for name, read := range map[string]func() (int, error){
		"instances":  func() (int, error) { l, err := c.Instances(t.Context()); return len(l), err },
		"webhooks":   func() (int, error) { l, err := c.Webhooks(t.Context()); return len(l), err },
		"locations":  func() (int, error) { l, err := c.Locations(t.Context()); return len(l), err },
		"apps":       func() (int, error) { l, err := c.Apps(t.Context(), "i"); return len(l), err },
		"builds":     func() (int, error) { l, err := c.Builds(t.Context(), "i", "a"); return len(l), err },
		"databases":  func() (int, error) { l, err := c.Databases(t.Context(), "i"); return len(l), err },
		"extensions": func() (int, error) { l, err := c.Extensions(t.Context(), "i"); return len(l), err },
		"backups":    func() (int, error) { l, err := c.Backups(t.Context(), "i"); return len(l), err },
	} {
		if n, err := read(); err != nil || n != 1 {
			t.Errorf("%s: got %d and error %v, want 1 and none", name, n, err)
		}
	}
}

func TestListShapes(t *testing.T) {
	for raw, ok := range map[string]bool{
		`{"backups": [{"id": "b"}]}`:                      true,
		`[{"id": "b"}]`:                                   true,
		`{"backups": [{"id": "b"}], "next_cursor": null}`: true,
		`{"backups": [{"id": "b"}], "next_cursor": ""}`:   true,
		`{"others": []}`:                                  false,
		`{"backups": 7}`:                                  false,
		`{"backups": [{"id": "b"}], "next_cursor": 7}`:    false,
		`{"message": "maintenance"}`:                      false,
		`{"backups": {"id": "b"}}`:                        false,
		`{"backups": null}`:                               false,
		`{"backups": [{"id": "b"}]`:                       false,
		`null`:                                            false,
		`7`:                                               false,
	} {
		p, err := decodePage[Backup](json.RawMessage(raw), "backups")
		if (err == nil) != ok || ok && (len(p.items) != 1 || p.items[0].ID != "b" || p.next != "") {
			t.Errorf("decodePage(%s) = %+v, %v, want the backup b: %t", raw, p, err, ok)
		}
	}
}

// An element that cannot be read is left out, and the list is then no proof of an absence.
func TestUnreadableElements(t *testing.T) {
	for raw, want := range map[string]string{
		`[{"id": "b"}, 7]`:                              "/instances/i/backups has elements that cannot be read: backups[1]: number is not the documented type",
		`[{"id": "b"}, {"id": 7}]`:                      "backups[1]: the field id is not a text: number",
		`[{"id": "b"}, {"kind": "daily"}]`:              "backups[1]: it has no identifier",
		`[{"kind": 7, "id": "c"}]`:                      "backups[0] (c): the field kind is not a text: number",
		`[{"size_bytes": "a lot", "id": "c"}]`:          "",
		`[{"id": "b"}, null]`:                           "backups[1]: it has no identifier",
		`[{"id": "b"}, {"size_bytes": 1.5, "id": "c"}]`: "",
	} {
		c, _ := newTestClient(t, says(200, object{"backups": json.RawMessage(raw)}))
		_, err := c.Backups(t.Context(), "i")
		if isAs[*PartialListError](err) != (want != "") || want != "" && !contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", raw, err, want)
		}
	}
}

// A field of another type in the service's own form is not a page of a gateway: the error
// names the field, and the request is not sent again.
func TestFieldOfAnotherType(t *testing.T) {
	for name, row := range map[string]struct {
		answer object
		read   func(*Client, context.Context) error
		want   string
	}{
		"a budget": {object{"id": "i", "engines": object{"redis": object{"memory_mb": "much"}}}, func(c *Client, ctx context.Context) error { return second(c.Instance(ctx, "i")) }, "the field engines.redis.memory_mb is not a whole number: value \"much\""},
		"a port":   {object{"name": "a", "port": 80.5}, func(c *Client, ctx context.Context) error { return second(c.App(ctx, "i", "a")) }, "the field port is not a whole number: number 80.5"},
		"a name":   {object{"id": "i", "name": 7}, func(c *Client, ctx context.Context) error { return second(c.Instance(ctx, "i")) }, "the field name is not a text: number"},
		"a list":   {object{"backups": object{}}, func(c *Client, ctx context.Context) error { return second(c.Backups(ctx, "i")) }, "the field backups is not a list: object"},
		"a cursor": {object{"backups": []object{}, "next_cursor": 7}, func(c *Client, ctx context.Context) error { return second(c.Backups(ctx, "i")) }, "the field next_cursor is not a text: number"},
	} {
		c, wire := newTestClient(t, says(200, row.answer))
		err := row.read(c, t.Context())
		if !isAs[*transport.FieldError](err) || errors.Is(err, transport.ErrForeign) || !contains(err.Error(), row.want) || len(wire.Requests()) != 1 {
			t.Errorf("%s: got error %v after %d requests, want a *FieldError after one: %s", name, err, len(wire.Requests()), row.want)
		}
	}
}

// A list without elements may be answered 204. An empty answer of another status is not a
// list.
func TestListWithoutContent(t *testing.T) {
	for status, ok := range map[int]bool{204: true, 200: false} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
			backups, err := c.Backups(t.Context(), "i")
			if len(backups) != 0 || ok != (err == nil) {
				t.Errorf("%d: got %v and error %v, want no backups, and no error: %v", status, backups, err, ok)
			}
		})
	}
}
