package client

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestWhatAnErrorIs(t *testing.T) {
	sentinels := []error{ErrNotFound, ErrUnauthorized, ErrForbidden, ErrJobRunning, ErrAlreadyExists, ErrConsoleOff, ErrValidation, ErrSQL, ErrRateLimited, ErrUnavailable, ErrForeign}
	for _, row := range []struct {
		status int
		code   string
		is     []error
	}{
		{404, "not_found", []error{ErrNotFound}},
		{410, "not_found", []error{ErrNotFound}},
		{404, "", []error{ErrForeign}},
		{410, "", []error{ErrForeign}},
		{404, "no_such_route", nil},
		{502, "not_found", []error{ErrUnavailable}},
		{401, "unauthorized", []error{ErrUnauthorized}},
		{403, "console_off", []error{ErrConsoleOff}},
		{403, "forbidden", []error{ErrForbidden}},
		{409, "job_running", []error{ErrJobRunning}},
		{409, "already_exists", []error{ErrAlreadyExists}},
		{409, "", []error{ErrForeign}},
		{422, "sql_error", []error{ErrSQL}},
		{422, "validation_failed", []error{ErrValidation}},
		{429, "", []error{ErrRateLimited, ErrForeign}},
		{503, "unavailable", []error{ErrUnavailable}},
		{502, "", []error{ErrUnavailable, ErrForeign}},
	} {
		err := &APIError{Status: row.status, Code: row.code}
		for _, sentinel := range sentinels {
			want := false
			for _, is := range row.is {
				want = want || is == sentinel
			}
			if got := errors.Is(fmt.Errorf("wrapped: %w", err), sentinel); got != want {
				t.Errorf("%d %q is %v: %v, want %v", row.status, row.code, sentinel, got, want)
			}
		}
	}
}

func TestErrorBodies(t *testing.T) {
	c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/instances/service":
			w.Header().Set("X-Request-Id", "req-7")
			respond(w, 409, object{"detail": "busy", "code": "job_running"})
		default:
			w.WriteHeader(400)
			fmt.Fprint(w, "<html>", strings.Repeat("é", 2000))
		}
	})
	_, err := c.Instance(t.Context(), "service")
	if !errors.Is(err, ErrJobRunning) || err.Error() != "busy (GET /instances/service answered 409 job_running, request req-7)" {
		t.Errorf("Instance: got error %v, want ErrJobRunning with the request and its ID", err)
	}
	var api *APIError
	if _, err = c.Instance(t.Context(), "html"); !errors.As(err, &api) || len([]rune(api.Detail)) != maxForeignBody+1 {
		t.Errorf("Instance: got error %v, want an *APIError with a shortened detail", err)
	}
	if want := "is not an answer of the service at https://hosting.example/api/v1: <html>éé"; !contains(err.Error(), want) {
		t.Errorf("%v does not hold %q", err, want)
	}
}

// TestHalfAnEnvelope checks that a refusal is recognised by either member of the
// envelope.
func TestHalfAnEnvelope(t *testing.T) {
	for name, row := range map[string]struct {
		body         object
		code, detail string
	}{
		"code alone":   {object{"code": "not_found"}, "not_found", ""},
		"detail alone": {object{"detail": "no such instance"}, "", "no such instance"},
		"neither":      {object{"message": "no such route"}, "", `{"message":"no such route"}`},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) { respond(w, 400, row.body) })
			_, err := c.Instance(t.Context(), "i-1")
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
		{429, "rate_limited", true}, {429, "", true}, {409, "", true}, {422, "", true}, {503, "unavailable", true},
		{503, "", false}, {503, "internal", false}, {500, "internal", false}, {502, "unavailable", false}, {504, "unavailable", false}, {404, "", false}, {403, "", false}, {302, "", false}, {302, "x", false},
	} {
		if got := (&APIError{Status: row.status, Code: row.code}).nothingDone(); got != row.want {
			t.Errorf("%d %q: %v", row.status, row.code, got)
		}
	}
}

func TestField(t *testing.T) {
	for _, row := range []struct {
		status             int
		code, detail, want string
	}{
		{422, "validation_failed", "name: it must not be empty", "name"},
		{422, "validation_failed", "engines.redis.memory_mb: 5 is under the floor", "engines.redis.memory_mb"},
		{422, "validation_failed", "`memory_mb` must be at least 128", "memory_mb"},
		{422, "validation_failed", "Idempotency-Key: it was sent before", ""},
		{422, "validation_failed", "The value is too long", ""},
		{422, "validation_failed", "", ""},
		{422, "sql_error", "relation: it is missing", ""},
		{422, "", "name: a page", ""},
		{409, "already_exists", "name: it is taken", ""},
	} {
		if got := RefusedField(&APIError{Status: row.status, Code: row.code, Detail: row.detail}); got != row.want {
			t.Errorf("%d %q %q: %q, want %q", row.status, row.code, row.detail, got, row.want)
		}
	}
}
