package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// served is a fake whose answers are given by path.
func served(t *testing.T, answers map[string]string) *fakeProcess {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		credential := "Bearer the-key"
		if strings.HasPrefix(r.URL.Path, "/_fake/") {
			credential = "Bearer the-token"
		}
		if r.Header.Get("Authorization") != credential {
			http.Error(w, "another credential is wanted", http.StatusUnauthorized)
			return
		}
		answer, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(answer)) // A client that has gone fails the test by itself.
	}))
	t.Cleanup(server.Close)
	return &fakeProcess{origin: server.URL, key: "the-key", token: "the-token"}
}

const (
	loggedRequests = `{"requests":[
		{"method":"GET","real_at":"2026-01-02T03:04:00Z"},
		{"method":"POST","real_at":"2026-01-02T03:04:05Z"},
		{"method":"POST","real_at":"2026-01-02T03:04:30Z"}]}`
	settledJob = `{"instance_id":"i","operation":"create","started_at":"2026-01-02T03:04:05Z","finished_at":"2026-01-02T03:12:05Z","real_finished_at":"2026-01-02T03:04:29Z"}`
	queuedJob  = `{"instance_id":"i","operation":"create","started_at":null,"finished_at":null,"real_finished_at":null}`
	settled    = `{"instance_id":"i","app":"web","started_at":"2026-01-02T03:13:00Z","finished_at":"2026-01-02T03:16:00Z","real_finished_at":"2026-01-02T03:04:45Z"}`
)

func TestTimelineOfTheLog(t *testing.T) {
	t.Parallel()
	fake := served(t, map[string]string{
		"/_fake/requests": loggedRequests,
		"/_fake/jobs":     `{"jobs":[` + settledJob + `],"builds":[` + settled + `]}`,
	})
	read := must.Get(fake.timeline(t.Context()))(t)
	if want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC); !read.firstPOST.Equal(want) {
		t.Errorf("the first POST: got it at %s, want it at %s", read.firstPOST, want)
	}
	if len(read.tasks) != 2 {
		t.Fatalf("tasks: got %v, want a job and a build", read.tasks)
	}
	if job := read.tasks[0]; job.operation != "create" || job.took != 8*time.Minute {
		t.Errorf("the job: got %+v, want a creation of 8m", job)
	}
	if build := read.tasks[1]; build.operation != buildOperation || build.instance != "i" || build.took != 3*time.Minute {
		t.Errorf("the build: got %+v, want a build of the instance i of 3m", build)
	}
	if got, want := read.span(20), 800*time.Second; got != want {
		t.Errorf("the span: got %s, want %s", got, want)
	}
}

func TestTimelineOfUnsettledWork(t *testing.T) {
	t.Parallel()
	fake := served(t, map[string]string{
		"/_fake/requests": loggedRequests,
		"/_fake/jobs":     `{"jobs":[` + queuedJob + `],"builds":[]}`,
	})
	if read, err := fake.timeline(t.Context()); err == nil {
		t.Errorf("a log with a queued job: got %+v, want an error", read)
	}
}

func TestLeft(t *testing.T) {
	t.Parallel()
	if left, err := served(t, map[string]string{"/_fake/left": `{"total":3}`}).left(t.Context()); err != nil || left != 3 {
		t.Errorf("got %d, %v, want 3", left, err)
	}
	for name, answers := range map[string]map[string]string{
		"no total": {"/_fake/left": `{}`},
		"no JSON":  {"/_fake/left": `<html>`},
		"no route": {},
	} {
		if left, err := served(t, answers).left(t.Context()); err == nil {
			t.Errorf("%s: got %d, want an error", name, left)
		}
	}
}
