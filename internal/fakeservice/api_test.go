package fakeservice_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// object is a JSON object.
type object = map[string]any

// api is a fake with a minimal client.
type api struct {
	*fakeservicetest.Server
	t *testing.T
	// transport is nil if the fake listens on loopback.
	transport http.RoundTripper
}

// stillness is the speed of the fake's clock in these tests. It is so low that only Advance
// matters. Otherwise a job could end by itself on a busy machine, before a test asks for it
// or finishes it.
const stillness = 1e-3

func start(t *testing.T, opts ...func(*fakeservice.Options)) *api {
	t.Helper()
	opts = append([]func(*fakeservice.Options){func(o *fakeservice.Options) { o.Speed = stillness }}, opts...)
	return &api{Server: fakeservicetest.Start(t, opts...), t: t}
}

// answer is a response. body is nil if the text is not a JSON object.
type answer struct {
	status int
	header http.Header
	text   string
	body   object
}

// code returns the code of the error, or "".
func (a answer) code() string { return a.string("code") }

// string returns a field of the body, or "".
func (a answer) string(field string) string {
	text, _ := a.body[field].(string)
	return text
}

// call sends a request. header has pairs of names and values.
func (a *api) call(method, path string, body any, header ...string) answer {
	a.t.Helper()
	got, err := a.try(method, path, body, header...)
	if err != nil {
		a.t.Fatalf("%s %s: %s", method, path, err)
	}
	return got
}

func (a *api) try(method, path string, body any, header ...string) (answer, error) {
	var text []byte
	switch body := body.(type) {
	case nil:
	case string:
		text = []byte(body)
	default:
		var err error
		if text, err = json.Marshal(body); err != nil {
			return answer{}, err
		}
	}
	request, err := http.NewRequest(method, a.BaseURL+path, bytes.NewReader(text))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+fakeservicetest.APIKey)
	if text != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := (&http.Client{Transport: a.transport}).Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	got := answer{status: response.StatusCode, header: response.Header, text: string(read)}
	if json.Unmarshal(read, &got.body) != nil {
		got.body = nil
	}
	return got, err
}

// want sends a request and fails the test unless the answer has that status and error
// code.
func (a *api) want(status int, code, method, path string, body any, header ...string) answer {
	a.t.Helper()
	got := a.call(method, path, body, header...)
	if got.status != status || got.code() != code {
		a.t.Fatalf("%s %s: got %d %q (%s), want %d %q", method, path, got.status, got.code(), got.text, status, code)
	}
	return got
}

// accepted sends a mutation and returns its answer while the job is in progress.
func (a *api) accepted(method, path string, body any) answer {
	a.t.Helper()
	return a.want(http.StatusAccepted, "", method, path, body)
}

// done sends a mutation and finishes its job.
func (a *api) done(method, path string, body any) answer {
	a.t.Helper()
	got := a.accepted(method, path, body)
	must.Do(a.t, a.FinishJob(got.string("job_id")))
	return got
}

// running adds a running instance whose engines have their floors.
func (a *api) running(engines ...string) string {
	record := fakeservice.Instance{Name: "box", Plan: "medium", Engines: map[string]*fakeservice.Engine{}}
	for _, name := range engines {
		record.Engines[name] = &fakeservice.Engine{}
	}
	if apps := record.Engines["apps"]; apps != nil {
		apps.MemoryMB = 2560 // for up to five apps
	}
	return a.AddInstance(record).ID
}

// equal fails the test unless got equals want.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestAuthorisation(t *testing.T) {
	t.Parallel()
	a := start(t, func(o *fakeservice.Options) { o.APIKey = "k-1" })
	a.want(200, "", "GET", "/me", nil, "Authorization", "Bearer k-1")
	a.want(200, "", "GET", "/me", nil, "Authorization", "bearer k-1")
	for _, header := range []string{"", "Bearer ", "Bearer k-2", "Basic k-1"} {
		a.want(401, "unauthorized", "GET", "/me", nil, "Authorization", header)
	}
}

func TestUnknownPath(t *testing.T) {
	t.Parallel()
	a := &api{Server: serveWithViolations(t, 4), t: t}
	// An empty id must not be answered with a redirect to a different path.
	a.play("", `
		GET /nothing => 404 not_found
		GET /instances//connection => 404 not_found
	`)
	// No app has the address of the import.
	for path, allowed := range map[string]string{"/webhooks": "GET, HEAD, POST", "/instances/i-1/apps/import": "POST"} {
		got := a.want(405, "method_not_allowed", "DELETE", path, nil)
		equal(t, "what "+path+" allows", got.header.Get("Allow"), allowed)
	}
}

// serveWithViolations starts a fake for a test that breaks the API document on purpose.
// It expects that number of violations.
func serveWithViolations(t *testing.T, want int) *fakeservicetest.Server {
	t.Helper()
	var log recorder
	server := fakeservicetest.Start(&log)
	t.Cleanup(func() {
		log.close()
		if log.errors != want {
			t.Errorf("reported violations: got %d, want %d", log.errors, want)
		}
	})
	return server
}

// recorder is a testing.TB that only counts errors.
type recorder struct {
	testing.TB
	cleanup []func()
	errors  int
}

func (r *recorder) Helper()               {}
func (r *recorder) Cleanup(f func())      { r.cleanup = append(r.cleanup, f) }
func (r *recorder) Errorf(string, ...any) { r.errors++ }
func (r *recorder) close() {
	for _, f := range r.cleanup {
		f()
	}
}

func TestETag(t *testing.T) {
	t.Parallel()
	a := start(t)
	first := a.want(200, "", "GET", "/plans", nil)
	tag := first.header.Get("ETag")
	again := a.want(304, "", "GET", "/plans", nil, "If-None-Match", `"other", W/`+tag)
	equal(t, "body of a 304", again.text, "")
	a.want(200, "", "GET", "/plans", nil, "If-None-Match", `"other"`)
	a.EditCatalog(func(c *fakeservice.Catalog) { c.Plans[1].PriceCents++ })
	a.want(200, "", "GET", "/plans", nil, "If-None-Match", tag)
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	a := start(t)
	body := object{"name": "one", "plan": "free", "region": "eu-central"}
	first := a.call("POST", "/instances", body, "Idempotency-Key", "k")
	again := a.call("POST", "/instances", body, "Idempotency-Key", "k")
	equal(t, "repeated answer", again.body, first.body)
	equal(t, "instances", len(a.Instances()), 1)

	// The same value in another order is the same request.
	reordered := a.want(202, "", "POST", "/instances", `{"region" : "eu-central", "plan": "free", "name": "one"}`, "Idempotency-Key", "k")
	equal(t, "the answer to a reordered body", reordered.text, first.text)
	a.want(422, "validation_failed", "POST", "/instances", object{"name": "two", "plan": "free", "region": "eu-central"}, "Idempotency-Key", "k")
	a.want(202, "", "POST", "/instances", body, "Idempotency-Key", "other")
	equal(t, "instances after another key", len(a.Instances()), 2)

	a.Advance(24 * time.Hour)
	a.want(202, "", "POST", "/instances", body, "Idempotency-Key", "k")
	equal(t, "instances after a day", len(a.Instances()), 3)
}

// A refused request is not remembered, because its reason may no longer apply later.
func TestIdempotencyKeyForgetsRefusals(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("redis")
	path := "/instances/" + id + "/actions/rotate"
	release := a.HoldJobs(fakeservice.JobMatch{})
	a.accepted("POST", path, object{})
	a.want(409, "job_running", "POST", path, object{}, "Idempotency-Key", "k")
	release()
	a.want(202, "", "POST", path, object{}, "Idempotency-Key", "k")
}

// The log contains no keys, and no more requests than its limit.
func TestRequestLogIsBounded(t *testing.T) {
	t.Parallel()
	a := start(t, func(o *fakeservice.Options) { o.RequestsKept = 2 })
	for _, path := range []string{"/me", "/plans"} {
		a.want(200, "", "GET", path, nil)
	}
	a.want(200, "", "PATCH", "/me", object{"company": "C"})
	requests := a.Requests()
	equal(t, "requests", len(requests), 2)
	equal(t, "the first kept", requests[0].Path, "/plans")
	equal(t, "the last", requests[1].Path, "/me")
	equal(t, "its body", string(requests[1].Body), `{"company":"C"}`)
	last := a.Entries()[1]
	equal(t, "its number", last.Number, 3)
	if !strings.Contains(string(last.Answer), `"company":"C"`) {
		t.Errorf("the stored answer: got %q, want the account", last.Answer)
	}
	for _, r := range requests {
		equal(t, "key", r.Header.Get("Authorization"), "")
	}
	for _, what := range []string{"one", "two", "three"} {
		a.Violation(errors.New(what))
	}
	equal(t, "violations", a.Violations(), []string{"two", "three"})
	a.Clear() // this test caused them on purpose
}

// page opens a page outside the API, as a browser would, and returns its text.
func (a *api) page(url string) string {
	a.t.Helper()
	response, err := http.Get(url)
	must.Do(a.t, err)
	defer response.Body.Close()
	text := must.Get(io.ReadAll(response.Body))(a.t)
	return string(text)
}
