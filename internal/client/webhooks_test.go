package client

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// endpointOf returns the settings of an endpoint that is enabled.
func endpointOf(url, secret string) WebhookSettings {
	return WebhookSettings{URL: Some(url), Secret: Some(secret), Enabled: Some(true)}
}

func TestCreationOfAnEndpoint(t *testing.T) {
	const secret = "a secret of the test"
	endpoint := func(id, url string) object { return object{"id": id, "url": url} }
	list := func(endpoints ...object) http.HandlerFunc {
		return says(200, object{"webhooks": append([]object{}, endpoints...)})
	}
	ours, old := endpoint("w", "https://h.example/"), endpoint("old", "https://h.example/")
	for name, row := range map[string]struct {
		post  http.HandlerFunc
		lists func() http.HandlerFunc
		id    string // "" for an error
		err   any
	}{
		"answered":                         {says(201, object{"id": "w", "url": "https://h.example/"}), func() http.HandlerFunc { return list() }, "w", nil},
		"lost, and found":                  {gateway(502), func() http.HandlerFunc { return inTurn(list(), list(ours)) }, "w", nil},
		"lost, stored without its slash":   {gateway(502), func() http.HandlerFunc { return inTurn(list(), list(endpoint("w", "https://h.example"))) }, "w", nil},
		"an answer without an id":          {says(201, object{"ok": true}), func() http.HandlerFunc { return inTurn(list(), list(ours)) }, "w", nil},
		"lost, made 40 s later":            {gateway(504), func() http.HandlerFunc { return inTurn(list(), during(40*time.Second, list(), list(ours))) }, "w", nil},
		"lost, the list fails for a while": {gateway(504), func() http.HandlerFunc { return inTurn(list(), during(40*time.Second, gateway(404), list(ours))) }, "w", nil},
		"lost, one of years ago is there":  {gateway(502), func() http.HandlerFunc { return list(old) }, "", &UnknownCreationError{}},
		"lost, both are there":             {gateway(502), func() http.HandlerFunc { return inTurn(list(old), list(ours, old)) }, "w", nil},
		"lost, another URL is there":       {gateway(502), func() http.HandlerFunc { return inTurn(list(), list(endpoint("x", "https://h.example/other"))) }, "", &UnknownCreationError{}},
		"lost, never made":                 {gateway(502), func() http.HandlerFunc { return list() }, "", &UnknownCreationError{}},
		"lost, two new ones are there":     {gateway(502), func() http.HandlerFunc { return inTurn(list(), list(ours, endpoint("theirs", "https://h.example/"))) }, "", &AmbiguousError{Candidates: []string{"w", "theirs"}}},
		"refused":                          {func(w http.ResponseWriter, _ *http.Request) { refuse(w, 422, "validation_failed") }, func() http.HandlerFunc { return list() }, "", ErrValidation},
	} {
		inBubble(t, name, func(t *testing.T) {
			// It needs neither a Date nor /locations.
			c, wire := newTestClient(t, script{"POST /webhooks": row.post, "GET /webhooks": row.lists()}.Serve)
			begun := time.Now()
			webhook, err := c.CreateWebhook(t.Context(), endpointOf("https://H.example/", secret))
			switch want := row.err.(type) {
			case nil:
				if err != nil || webhook.ID != row.id {
					t.Errorf("CreateWebhook: got %+v and error %v, want %s", webhook, err, row.id)
				}
			case *AmbiguousError:
				var ambiguous *AmbiguousError
				if !errors.As(err, &ambiguous) || !slices.Equal(ambiguous.Candidates, want.Candidates) {
					t.Errorf("CreateWebhook: got %+v and error %v, want an *AmbiguousError of %v", webhook, err, want.Candidates)
				}
			case *UnknownCreationError:
				if !isAs[*UnknownCreationError](err) {
					t.Errorf("CreateWebhook: got %+v and error %v, want an *UnknownCreationError", webhook, err)
				}
			case error:
				if !errors.Is(err, want) {
					t.Errorf("CreateWebhook: got %+v and error %v, want %v", webhook, err, want)
				}
			}
			if n := wire.Count("POST"); n != 1 {
				t.Errorf("POSTs: got %d, want 1", n)
			}
			if took := time.Since(begun); took > shortPatience+time.Minute {
				t.Errorf("CreateWebhook: got an end after %s, want one within %s", took, shortPatience+time.Minute)
			}
			for _, request := range wire.Requests() {
				if request != "POST /webhooks" && request != "GET /webhooks" {
					t.Errorf("requests: got %s, want POST and GET of /webhooks only", request)
				}
			}
		})
	}
}

func TestTwoEndpointsOfOneURLNeverAdoptEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made []object
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				made = append(made, object{"id": string(rune('a' + len(made))), "url": "https://h.example/"})
				respond(w, dropped, nil)
				return
			}
			respond(w, 200, object{"webhooks": append([]object{}, made...)})
		})
		ids := make(chan string, 2)
		for range 2 {
			go func() {
				webhook, err := c.CreateWebhook(t.Context(), endpointOf("https://h.example/", "a secret of the test"))
				if err != nil || !webhook.Adopted {
					t.Errorf("CreateWebhook: got %+v and error %v, want it adopted", webhook, err)
				}
				ids <- webhook.ID
			}()
		}
		if one, other := <-ids, <-ids; one == other || len(made) != 2 {
			t.Errorf("two creations: got %s twice of %v, want one each", one, made)
		}
	})
}

// The record that is read back shows whether a change took effect. The answer to the
// change counts if no read succeeds.
func TestChangeOfAnEndpoint(t *testing.T) {
	record := func(enabled bool) http.HandlerFunc {
		return says(200, object{"id": "w", "url": "https://h.example/", "enabled": enabled})
	}
	nothing := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }
	refused := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 403, "forbidden") }
	for name, row := range map[string]struct {
		answer, read http.HandlerFunc
		want         bool
		err          error
	}{
		"the record":                     {record(true), record(true), true, nil},
		"nothing":                        {nothing, record(true), true, nil},
		"something else":                 {says(200, object{"ok": true}), record(true), true, nil},
		"a read lags":                    {record(true), inTurn(record(false), record(false), record(true)), true, nil},
		"without an effect":              {record(true), record(false), false, nil},
		"the read is refused":            {record(true), refused, true, nil},
		"nothing, and a read is refused": {nothing, refused, false, ErrForbidden},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, wire := newTestClient(t, script{"PATCH /webhooks/w": row.answer, "GET /webhooks/w": row.read}.Serve)
			webhook, err := c.UpdateWebhook(t.Context(), "w", WebhookSettings{Enabled: Some(true)})
			if !errors.Is(err, row.err) || webhook.Enabled.Value != row.want {
				t.Errorf("%s: got %+v and error %v, want enabled = %t and error %v", name, webhook, err, row.want, row.err)
			}
			if n := wire.Count("PATCH"); n != 1 {
				t.Errorf("%s: got %d PATCHes, want 1", name, n)
			}
		})
	}
}

func TestDeletionOfAnEndpoint(t *testing.T) {
	none := says(200, object{"webhooks": []object{}})
	holds := says(200, object{"webhooks": []object{{"id": "w"}}})
	there := says(200, object{"id": "w"})
	removed := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }
	for name, row := range map[string]struct {
		remove, record, list http.HandlerFunc
		err                  error
	}{
		"done":                    {removed, notFound, none, nil},
		"done, a read lags":       {removed, inTurn(there, there, notFound), none, nil},
		"done, and it is there":   {removed, there, holds, ErrContradiction},
		"gone":                    {notFound, notFound, none, nil},
		"lost, then gone":         {inTurn(gateway(504), notFound), notFound, none, nil},
		"lost, a read lags":       {inTurn(gateway(504), notFound), inTurn(there, there, notFound), none, nil},
		"cut off, then gone":      {inTurn(gateway(truncated), notFound), notFound, none, nil},
		"a gateway's 404":         {gateway(404), notFound, none, transport.ErrForeign},
		"404, and it is there":    {notFound, there, holds, ErrNotFound},
		"404, and the list says":  {notFound, notFound, holds, ErrContradiction},
		"404, then a gateway's":   {notFound, gateway(404), none, transport.ErrForeign},
		"a replica lacked it":     {notFound, inTurn(notFound, there), holds, ErrNotFound},
		"a page of somebody else": {gateway(403), notFound, none, ErrForbidden},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := newTestClient(t, script{"DELETE /webhooks/w": row.remove, "GET /webhooks/w": row.record, "GET /webhooks": row.list}.Serve)
			if err := c.DeleteWebhook(t.Context(), "w"); row.err == nil && err != nil || row.err != nil && !errors.Is(err, row.err) {
				t.Errorf("%s: got error %v, want %v", name, err, row.err)
			}
		})
	}
}

func TestHasOtherSecret(t *testing.T) {
	for answer, want := range map[string]bool{
		"":                   false,
		"0123456789abcdef\n": false,
		"0123456789abcdef":   true, // cut
		"whsec_other":        true,
		"********":           false,
		"whsec_…cdef":        false,
		"whsec_****":         false,
		"REDACTED":           true,
		"0123••••••••••••": false,
	} {
		if got := (Webhook{WebhookSettings: WebhookSettings{Secret: Some(answer)}}).HasOtherSecret("0123456789abcdef\n"); got != want {
			t.Errorf("an answer with the secret %q: got %t, want %t", answer, got, want)
		}
	}
}

func TestWebhookNamesakes(t *testing.T) {
	endpoints := says(200, object{"webhooks": []object{
		{"id": "left", "url": "https://h.example/"},
		{"id": "left in another form", "url": "https://H.example"},
		{"id": "claimed", "url": "https://h.example/"},
		{"id": "other", "url": "https://h.example/other"},
	}})
	for name, row := range map[string]struct {
		list    http.HandlerFunc
		want    []string
		wantErr error
	}{
		"one that nobody has claimed": {endpoints, []string{"left", "left in another form"}, nil},
		"none":                        {says(200, object{"webhooks": []object{}}), nil, nil},
		"a list that is refused":      {func(w http.ResponseWriter, _ *http.Request) { refuse(w, 401, "unauthorized") }, nil, ErrUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := newTestClient(t, script{"GET /webhooks": row.list}.Serve)
			c.Claim("claimed")
			got, err := c.WebhookNamesakes(t.Context(), "https://H.example/")
			if !slices.Equal(got, row.want) || !errors.Is(err, row.wantErr) {
				t.Errorf("got %q, %v, want %q, %v", got, err, row.want, row.wantErr)
			}
		})
	}
}

// A refusal is certain only if no attempt before it may have been carried out.
func TestRefusalAfterALostAttempt(t *testing.T) {
	refusal := says(http.StatusUnauthorized, object{"code": "unauthorized", "detail": "no such key"})
	for name, row := range map[string]struct {
		answer  http.HandlerFunc
		certain bool
	}{"at once": {refusal, true}, "after a lost attempt": {inTurn(gateway(502), refusal), false}} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := newTestClient(t, script{"PATCH /webhooks/w": row.answer}.Serve)
			_, err := c.UpdateWebhook(t.Context(), "w", WebhookSettings{Enabled: Some(false)})
			if !errors.Is(err, ErrUnauthorized) || NothingDone(err) != row.certain {
				t.Errorf("%s: got error %v, nothing done: %t, want ErrUnauthorized, nothing done: %t", name, err, NothingDone(err), row.certain)
			}
		})
	}
}
