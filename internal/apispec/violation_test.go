package apispec

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

func checkViolation(t *testing.T, err error, want string) {
	t.Helper()
	var violation *Violation
	if !errors.As(err, &violation) {
		t.Fatalf("got %v, want a violation", err)
	}
	if !strings.Contains(violation.Reason, want) {
		t.Errorf("the reason: got %q, want %q in it", violation.Reason, want)
	}
	if strings.ContainsAny(err.Error(), "\r\n") {
		t.Errorf("the violation: got %q, want one line", err)
	}
}

// TestViolationsHoldNoValues guards against leaks: violations are logged, and the bodies
// that they concern contain passwords and keys.
func TestViolationsHoldNoValues(t *testing.T) {
	t.Parallel()
	const canary = "hunter2"
	validator := newValidator(t)
	header := http.Header{"Content-Type": {"application/json"}}
	connection := newRequest("GET", "/instances/i/connection", "")
	for _, body := range []string{
		`{"host":"h","ca_certificate":"c","engines":{"auth":{"url":"` + canary + `","anon_key":"a","service_key":"s"}}}`,
		`{"host":"h","ca_certificate":"c","engines":{"redis":{"url":["` + canary + `"]}}}`,
		`{"host":"h","ca_certificate":"c","engines":{"redis":{"url":"a","extra":"` + canary + `"}}}`,
		`{"host":"h","ca_certificate":"` + canary + `"}`,
		`"` + canary + `"`,
		canary,
	} {
		err := validator.Response(connection, 200, header, []byte(body))
		if err == nil {
			t.Errorf("a violation: got none for %s, want one", body)
		} else if strings.Contains(err.Error(), canary) {
			t.Errorf("the violation: got %v, want it without the value", err)
		}
	}
}

func TestRequestLeavesTheRequestAlone(t *testing.T) {
	t.Parallel()
	validator := newValidator(t)
	const body = `{"name":"a","plan":"p","region":"r"}`
	request := newRequest("POST", "/instances", body)
	request.Body = io.NopCloser(strings.NewReader("still here"))
	if err := validator.Request(request, []byte(body)); err != nil {
		t.Fatal(err)
	}
	left, err := io.ReadAll(request.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(left, []byte("still here")) {
		t.Errorf("the request's body after the check: got %q, want \"still here\"", left)
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			validator, err := New()
			if err != nil {
				t.Error(err)
				return
			}
			for _, good := range goodExchanges {
				method, _, _ := strings.Cut(good.operation, " ")
				request := newRequest(method, good.target, good.request)
				if err := validator.Request(request, []byte(good.request)); err != nil {
					t.Errorf("a request of goodExchanges in internal/apispec/exchange_test.go: got %v, want no violation", err)
				}
				if err := validator.Response(request, good.status, answerHeader(good.operation, good.status), []byte(good.answer)); err != nil {
					t.Errorf("an answer of goodExchanges in internal/apispec/exchange_test.go: got %v, want no violation", err)
				}
			}
		})
	}
	group.Wait()
}

func BenchmarkResponse(b *testing.B) {
	validator, err := New()
	if err != nil {
		b.Fatal(err)
	}
	request := newRequest("GET", "/instances/i-1", "")
	header := http.Header{"Content-Type": {"application/json"}}
	for b.Loop() {
		if err := validator.Response(request, 200, header, []byte(goodInstance)); err != nil {
			b.Fatal(err)
		}
	}
}
