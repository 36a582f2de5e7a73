package requestlog_test

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/requestlog"
)

// log returns a log after a number of requests with bodies of a size.
func log(kept, requests, size int) *requestlog.Log {
	l := requestlog.New(requestlog.Options{Kept: kept, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	body := []byte(strings.Repeat("x", size))
	for range requests {
		l.Watch(httptest.NewRequest("POST", "/instances", nil), body).Answered(202, body, false)
	}
	return l
}

// A log of a program has the bodies of the latest requests, and only small ones.
func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	entries := log(700, 900, requestlog.BodyLimit).Entries()
	if len(entries) != 700 || entries[0].Number != 201 || entries[699].Number != 900 {
		t.Fatalf("the log: got %d entries from %d on, want 700 from 201 on", len(entries), entries[0].Number)
	}
	for i, e := range entries {
		if got, want := e.Body != nil && e.Answer != nil, i >= 200; got != want || e.BodySize != requestlog.BodyLimit || e.AnswerSize != requestlog.BodyLimit {
			t.Fatalf("bodies of request %d: got %t, want %t", e.Number, got, want)
		}
	}
	if e := log(700, 1, requestlog.BodyLimit+1).Entries()[0]; e.Body != nil || e.Answer != nil || e.BodySize != requestlog.BodyLimit+1 {
		t.Errorf("large bodies: got %d and %d bytes, want none", len(e.Body), len(e.Answer))
	}
	if e := log(0, 501, requestlog.BodyLimit+1).Entries()[0]; len(e.Body) != e.BodySize {
		t.Errorf("body in a test's log: got %d bytes, want %d", len(e.Body), e.BodySize)
	}
}

// A request that is answered after it has lost its bodies does not get them again.
func TestLateAnswersAreBounded(t *testing.T) {
	t.Parallel()
	l := requestlog.New(requestlog.Options{Kept: 700, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	first := l.Watch(httptest.NewRequest("GET", "/instances", nil), nil)
	for range 600 {
		l.Watch(httptest.NewRequest("GET", "/instances", nil), nil).Answered(200, []byte("{}"), false)
	}
	first.Answered(200, []byte("{}"), false)
	if e := l.Entries()[0]; e.Answer != nil || e.Status != 200 {
		t.Errorf("a late answer: got status %d and body %q, want 200 without a body", e.Status, e.Answer)
	}
}
