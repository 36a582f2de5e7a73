package probe_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/probe"
)

// Regardless of how a run ends, its instance is deleted or reported as left.
func TestDeletesWhatItMade(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		// arrange returns the run's context and whether the instance should remain.
		arrange func(t *testing.T, w *world) (ctx context.Context, stays bool)
		err     string
		left    string
	}{
		{"interrupted while it is created", func(t *testing.T, w *world) (context.Context, bool) {
			ctx, interrupt := context.WithCancel(t.Context())
			w.progress.on("Waiting", interrupt)
			return ctx, false
		}, "context canceled", ""},
		{"interrupted amid the changes", func(t *testing.T, w *world) (context.Context, bool) {
			ctx, interrupt := context.WithCancel(t.Context())
			w.progress.on("Trying the SQL console", interrupt)
			return ctx, false
		}, "context canceled", ""},
		{"interrupted before the checkout is paid", func(t *testing.T, w *world) (context.Context, bool) {
			ctx, interrupt := context.WithCancel(t.Context())
			w.progress.on("Open this page", interrupt)
			return ctx, false
		}, "context canceled", ""},
		{"interrupted twice", func(t *testing.T, w *world) (context.Context, bool) {
			ctx, interrupt := context.WithCancel(t.Context())
			w.progress.on("Waiting", interrupt)
			again := make(chan struct{})
			w.options.Abandon = again
			w.progress.on("Deleting", func() { close(again) })
			return ctx, true
		}, "is not deleted", "curl -X DELETE"},
		{"the creation fails", func(t *testing.T, w *world) (context.Context, bool) {
			w.FailJobs(fakeservice.JobMatch{Operation: "create"}, 1, "no_room", "there is no machine")
			return t.Context(), false
		}, "the creation failed", ""},
		{"every other job fails", func(t *testing.T, w *world) (context.Context, bool) {
			for _, operation := range []string{"update", "allowlist", "console", "database_create", "engines"} {
				w.FailJobs(fakeservice.JobMatch{Operation: operation}, -1, "no_luck", "")
			}
			return t.Context(), false
		}, "", ""},
		{"the answer to the creation is lost", func(t *testing.T, w *world) (context.Context, bool) {
			w.Inject(fakeservice.Fault{Method: http.MethodPost, Path: "/instances", Drop: true, AfterCommit: true})
			return t.Context(), false
		}, "", ""},
		{"the creation is carried out late", func(t *testing.T, w *world) (context.Context, bool) {
			w.Inject(fakeservice.Fault{Method: http.MethodPost, Path: "/instances", CommitAfter: time.Minute})
			return t.Context(), false
		}, "", ""},
		{"the creation never arrives", func(t *testing.T, w *world) (context.Context, bool) {
			w.Inject(fakeservice.Fault{Method: http.MethodPost, Path: "/instances", Drop: true})
			return t.Context(), false
		}, "the creation got no answer", "Look in the portal for one named " + probe.NamePrefix},
		{"the creation is refused", func(t *testing.T, w *world) (context.Context, bool) {
			w.options.Region = "nowhere"
			return t.Context(), false
		}, "422 validation_failed", ""},
		{"deletions meet trouble", func(t *testing.T, w *world) (context.Context, bool) {
			w.Inject(fakeservice.Fault{Method: http.MethodDelete, Path: "/instances/*", Page: 502, Times: 2})
			w.Inject(fakeservice.Fault{Method: http.MethodDelete, Path: "/instances/*", Status: 404, Times: 1, Skip: 2})
			w.FailJobs(fakeservice.JobMatch{Operation: "delete"}, 1, "no_luck", "")
			return t.Context(), false
		}, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, w *world) {
				w.creating()
				ctx, stays := row.arrange(t, w)
				report, err := probe.Run(ctx, w.options)
				if row.err == "" && err != nil || row.err != "" && (err == nil || !strings.Contains(err.Error(), row.err)) {
					t.Errorf("the error: got %v, want %q", err, row.err)
				}
				if !strings.Contains(report.Left, row.left) || row.left == "" && report.Left != "" {
					t.Errorf("report.Left: got %q, want %q", report.Left, row.left)
				}
				if got := w.made() != ""; got != stays {
					t.Errorf("the instance is there: got %t, want %t", got, stays)
				}
				if n := w.Count(http.MethodPost, "/instances"); n != 1 {
					t.Errorf("creations that were sent: got %d, want 1", n)
				}
				if n := len(w.Instances()); !stays && n != 2 {
					t.Errorf("instances after the probe: got %d, want the 2 that existed before", n)
				}
			})
		})
	}
}

// A plan that costs or may cost money is rejected before any request that changes
// something.
func TestRefusesPaidPlans(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		arrange func(w *world)
		err     string
	}{
		{"it is asked for", func(w *world) { w.options.Plan = "small" }, `the plan "small" costs money`},
		{"no plan is free", func(w *world) {
			w.Inject(fakeservice.Fault{Path: "/plans", Times: -1, Rewrite: func(body map[string]any) { body["plans"] = body["plans"].([]any)[1:] }})
		}, `the plan "small" costs money`},
		{"the price is not told", func(w *world) {
			w.options.Plan = "free"
			w.Inject(fakeservice.Fault{Path: "/plans", Times: -1, Rewrite: func(body map[string]any) {
				for _, plan := range body["plans"].([]any) {
					delete(plan.(map[string]any), "price_cents")
				}
			}})
		}, `the plan "free" costs money`},
		{"there is no such plan", func(w *world) { w.options.Plan = "none" }, `no plan "none"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, w *world) {
				w.options.Create = true
				row.arrange(w)
				report, err := probe.Run(t.Context(), w.options)
				if err == nil || !strings.Contains(err.Error(), row.err) {
					t.Errorf("the error: got %v, want %q", err, row.err)
				}
				if report.Count(probe.Holds) == 0 {
					t.Error("findings that hold: got 0, want those of the requests before the refusal")
				}
				if n := w.Count(http.MethodPost, "/instances"); n != 0 {
					t.Errorf("creations that were sent: got %d, want none", n)
				}
			})
		})
	}
}

// If a service requires a checkout although the plan is free, nothing is paid.
func TestCheckoutOfAFreePlan(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.options.Create = true
		w.Inject(fakeservice.Fault{Method: http.MethodPost, Path: "/instances", AfterCommit: true, Rewrite: func(body map[string]any) {
			body["checkout_url"] = "https://pay.example/"
		}})
		_, err := probe.Run(t.Context(), w.options)
		if err == nil || !strings.Contains(err.Error(), "asks for a checkout") || w.made() != "" {
			t.Errorf("the error: got %v with the instance %q, want one about a checkout and no instance", err, w.made())
		}
	})
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for _, o := range []probe.Options{
		{BaseURL: "https://hosting.test/api/v1"},
		{BaseURL: "https://hosting.test/api/v1", APIKey: "key\n"},
		{BaseURL: "http://hosting.test/api/v1", APIKey: key},
		{BaseURL: "https://hosting.test/api", APIKey: key},
		{BaseURL: "https://me:word@hosting.test/api/v1", APIKey: key},
		{BaseURL: "https://hosting.test/api/v1?x", APIKey: key},
		{BaseURL: "hosting.test/api/v1", APIKey: key},
		{APIKey: key},
	} {
		o.Transport = refusing{t}
		if _, err := probe.Run(t.Context(), o); err == nil || strings.Contains(err.Error(), "word") {
			t.Errorf("%q: got the error %v, want one without the password", o.BaseURL, err)
		}
	}
}

// refusing is a transport that must not be used.
type refusing struct{ t *testing.T }

func (r refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	r.t.Errorf("requests: got %s %s, want none", request.Method, request.URL)
	return nil, http.ErrServerClosed
}
