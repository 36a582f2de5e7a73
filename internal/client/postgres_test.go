package client

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestIsResult(t *testing.T) {
	for text, want := range map[string]bool{
		`{"columns":["n"],"rows":[[1]],"row_count":1,"command":"SELECT"}`: true,
		`{"columns":[],"rows":[],"row_count":0,"command":"CREATE TABLE"}`: true,
		`{"took_ms":3,"warnings":[{"a":1}],"rows":[]}`:                    true,
		` {"rows":[[1],[2`:                 true,
		`{"took_ms":{"a":`:                 false,
		`{"job_id":"j-1"}`:                 false,
		`{}`:                               false,
		`["rows"]`:                         false,
		`"rows"`:                           false,
		`<html>{"rows":[]}</html>`:         false,
		``:                                 false,
		`{"nested":{"rows":[]},"other":1}`: false,
	} {
		if got := isResult([]byte(text)); got != want {
			t.Errorf("isResult(%s) = %t, want %t", text, got, want)
		}
	}
}

// A statement may take minutes. Neither the client's request timeout nor its retries end
// it.
func TestStatementOfMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const takes = 15 * time.Minute
		c, wire := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(takes)
			respond(w, 200, object{"columns": []string{}, "rows": []any{}, "row_count": 0, "command": "CREATE INDEX"})
		}, func(o *Options) { o.RequestTimeout = time.Minute })
		begun := time.Now()
		if err := enter(t, c).Query(within(t, 20*time.Minute), "", "CREATE INDEX"); err != nil || time.Since(begun) < takes {
			t.Errorf("Query: got error %v after %s, want none after %s at least", err, time.Since(begun), takes)
		}
		if n := len(wire.Requests()); n != 1 {
			t.Errorf("requests: got %d, want 1", n)
		}
	})
}

// The timeout of the operation ends the wait for a statement. It is then unknown whether
// the statement ran.
func TestStatementThatOutlastsItsOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, gateway(silent))
		ctx, cancel := lifetime.WithTimeout(t.Context(), "create", 20*time.Minute)
		defer cancel()
		begun := time.Now()
		err := enter(t, c).Query(ctx, "", "CREATE INDEX")
		if took := time.Since(begun); took != 20*time.Minute+lifetime.GracePeriod || !transport.OutcomeUnknown(err) || !isAs[*lifetime.TimeoutError](err) {
			t.Errorf("Query: got error %v after %s, want an unknown outcome by a *TimeoutError after %s", err, took, 20*time.Minute+lifetime.GracePeriod)
		}
	})
}

// The result of a statement is not needed, so its size and completeness do not matter.
func TestResultIsDiscarded(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"huge": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"rows":["` + strings.Repeat("x", 8<<20) + `"],"row_count":1}`))
		},
		"cut": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"rows":[["a"],["b`)) },
		"broken off": func(w http.ResponseWriter, _ *http.Request) {
			respond(w, brokenOff, object{"rows": []string{strings.Repeat("x", 100)}})
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, _ := newTestClient(t, answer)
			must.Report(t, enter(t, c).Query(t.Context(), "", "SELECT"))
		})
	}
}
