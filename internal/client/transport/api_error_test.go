package transport

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestErrorBodies(t *testing.T) {
	c, _ := newTestSender(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/instances/service":
			w.Header().Set("X-Request-Id", "req-7")
			respond(w, 409, object{"detail": "busy", "code": "job_running"})
		default:
			w.Header().Set("X-Request-Id", "req-8")
			w.WriteHeader(400)
			fmt.Fprint(w, "<html>", strings.Repeat("é", 2000))
		}
	})
	err := read(t.Context(), c, "instances", "service")
	if err == nil || err.Error() != "busy (GET /instances/service answered 409 job_running, request req-7)" {
		t.Errorf("read: got error %v, want the detail with the request and its ID", err)
	}
	var api *APIError
	if err = read(t.Context(), c, "instances", "html"); !errors.As(err, &api) || len([]rune(api.Detail)) != maxForeignBody+1 {
		t.Errorf("read: got error %v, want an *APIError with a shortened detail", err)
	}
	if want := "is not an answer of the service at https://hosting.example/api/v1: <html>éé"; !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "(request req-8)") {
		t.Errorf("the error: got %v, want %q and the request's id in it", err, want)
	}
}

// TestHalfAnEnvelope checks that a refusal is recognised by either member of the
// envelope.
func TestHalfAnEnvelope(t *testing.T) {
	for name, row := range map[string]struct {
		body         object
		code, detail string
	}{
		"code alone":     {object{"code": "not_found"}, "not_found", ""},
		"detail alone":   {object{"detail": "no such instance"}, "", "no such instance"},
		"of other types": {object{"detail": []object{{"msg": "too low"}}, "code": 404}, "404", `[{"msg":"too low"}]`},
		"nulls":          {object{"detail": nil, "code": nil}, "", `{"code":null,"detail":null}`},
		"neither":        {object{"message": "no such route"}, "", `{"message":"no such route"}`},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) { respond(w, 400, row.body) })
			err := read(t.Context(), c, "instances", "i-1")
			var refusal *APIError
			if !errors.As(err, &refusal) {
				t.Fatalf("got %v, want a refusal", err)
			}
			if refusal.Code != row.code || strings.TrimSpace(refusal.Detail) != row.detail {
				t.Errorf("got code %q, detail %q, want %q, %q", refusal.Code, refusal.Detail, row.code, row.detail)
			}
		})
	}
}

func TestNothingWasDone(t *testing.T) {
	for _, row := range []struct {
		status int
		code   string
		want   bool
	}{
		{400, "invalid_request", true}, {401, "unauthorized", true}, {404, "not_found", true}, {409, "job_running", true}, {422, "whatever", true},
		{429, "rate_limited", true}, {429, "", true}, {409, "", true}, {422, "", true}, {413, "", true}, {503, "unavailable", true},
		{503, "", false}, {503, "internal", false}, {500, "internal", false}, {502, "unavailable", false}, {504, "unavailable", false}, {404, "", false}, {403, "", false}, {302, "", false}, {302, "x", false},
	} {
		if got := (&APIError{Status: row.status, Code: row.code}).NothingDone(); got != row.want {
			t.Errorf("NothingDone of %d %q = %v, want %v", row.status, row.code, got, row.want)
		}
	}
}

func TestLimited(t *testing.T) {
	for _, row := range []struct {
		status int
		told   time.Duration
		want   bool
	}{
		{429, 0, true}, {429, time.Second, true}, {403, time.Second, true}, {403, 0, false}, {503, time.Second, false}, {409, time.Second, false},
	} {
		e := &APIError{Status: row.status, RetryAfter: row.told}
		if got := e.Limited(); got != row.want {
			t.Errorf("Limited of %d after %s = %v, want %v", row.status, row.told, got, row.want)
		}
		if row.want && !e.NothingDone() {
			t.Errorf("NothingDone of %d after %s = false, want true", row.status, row.told)
		}
	}
}
