package acceptance

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// newGuestbook returns a workspace with the example module and its variables.
func newGuestbook(t *testing.T, fake *fakeservicetest.Server) *workspace {
	t.Helper()
	needsCLI(t)
	t.Parallel()
	w := newGuestbookBeside(t, fake)
	w.write("test.auto.tfvars", guestbookVariables+`
deletion_protection = false
create_table        = false
`)
	return w
}

const guestbookVariables = `
plan          = "free"
region        = "eu-central"
repo          = "octo/guestbook"
allowed_cidrs = ["203.0.113.0/24"]
webhook_url   = "https://hooks.example/guestbook"
`

// newGuestbookBeside returns another workspace of the same test with the module. The
// caller must set its variables.
func newGuestbookBeside(t *testing.T, fake *fakeservicetest.Server) *workspace {
	t.Helper()
	w := newWorkspaceBeside(t, fake, "")
	if err := os.Remove(filepath.Join(w.folder, "main.tf")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(w.folder, os.DirFS("../../examples/guestbook")); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestGuestbook(t *testing.T) {
	fake := startFake(t)
	w := newGuestbook(t, fake)
	w.apply()
	w.mustBeSettled()

	id := onlyInstance(t, fake)
	instance, _ := fake.Instance(id)
	app := theApp(t, fake)
	checks := map[string]struct{ got, want any }{
		"status":        {instance.Status, "running"},
		"console":       {instance.ConsoleMode, "off"},
		"allowlist":     {instance.Allowlist, []string{"203.0.113.0/24"}},
		"app":           {app.Status, "running"},
		"port":          {app.Port, 3000},
		"health path":   {app.HealthPath, "/healthz"},
		"public":        {app.Public, true},
		"links":         {app.Links, []string{"auth"}},
		"site URL":      {instance.Engines["auth"].SiteURL, app.URL},
		"redirect URLs": {instance.Engines["auth"].RedirectURLs, []string{app.URL + "/**"}},
		"builds":        {len(app.Builds), 1},
		"webhooks":      {len(fake.Webhooks()), 1},
		"409":           {conflicts(fake), 0},
	}
	for what, check := range checks {
		if diff := cmp.Diff(check.want, check.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	for _, variable := range []string{"NEXT_PUBLIC_AUTH_URL", "NEXT_PUBLIC_AUTH_ANON_KEY"} {
		if app.Env[variable] == "" {
			t.Errorf("%s: got no value, want one", variable)
		}
	}
	if !strings.HasSuffix(app.Env["NEXT_PUBLIC_AUTH_URL"], "/auth/v1") {
		t.Errorf("NEXT_PUBLIC_AUTH_URL: got %s, want it to end in /auth/v1", app.Env["NEXT_PUBLIC_AUTH_URL"])
	}
	outputs := w.run("output", "-no-color")
	if !strings.Contains(outputs.output, app.URL) {
		t.Errorf("the outputs: got\n%s\nwant the app's URL %s", outputs.output, app.URL)
	}

	if r := w.run("destroy", "-auto-approve", "-no-color"); r.exit != 0 {
		t.Fatalf("destroy: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	// The module's test cannot assert that a new name creates no new instance: OpenTofu
	// does not allow outputs of another run in a condition.
	if n := fake.Count("POST", "/instances"); n != 1 {
		t.Errorf("creations: got %d, want 1", n)
	}
	for what, n := range fake.Left() {
		if n != 0 {
			t.Errorf("%s after the destroy: got %d, want none", what, n)
		}
	}
}

// moments are the points at which the guestbook's apply is interrupted. hold stops the
// service there, and come reports whether the apply has reached the point.
var moments = map[string]struct {
	hold func(*fakeservicetest.Server) (release func())
	come func(*fakeservicetest.Server) bool
}{
	"creation": {
		func(fake *fakeservicetest.Server) func() {
			return fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
		},
		func(fake *fakeservicetest.Server) bool { return fake.Count("GET", "/jobs/*") > 0 },
	},
	"between": {
		func(fake *fakeservicetest.Server) func() {
			return fake.HoldJobs(fakeservice.JobMatch{Operation: "app_import"})
		},
		func(fake *fakeservicetest.Server) bool { return fake.Count("POST", "/instances/*/apps/import") > 0 },
	},
	"build": {
		func(fake *fakeservicetest.Server) func() { return fake.HoldBuilds(fakeservice.BuildMatch{}) },
		func(fake *fakeservicetest.Server) bool {
			return fake.Count("GET", "/instances/*/apps/guestbook/builds") > 0
		},
	},
}

func TestGuestbookInterrupted(t *testing.T) {
	t.Parallel()
	for moment, at := range moments {
		for way, interrupt := range interruptions {
			t.Run(moment+" by "+way, func(t *testing.T) {
				fake := startFake(t)
				w := newGuestbook(t, fake)
				release := at.hold(fake)
				apply := w.start("apply", "-auto-approve", "-no-color")
				apply.until(moment, func() bool { return at.come(fake) })
				interrupt(apply)
				if r := apply.wait(); r.exit == 0 {
					t.Fatalf("the interrupted apply: got exit 0, want another:\n%s", r.output)
				}
				w.mustBeKept("hosting_instance", "this")
				release()
				w.apply()
				w.mustBeSettled()
				mustBeOnce(t, fake)
				if object := w.mustBeKept("hosting_app", "this"); object.Attributes["status"] != "running" {
					t.Errorf("the app: got status %v, want running", object.Attributes["status"])
				}
			})
		}
	}
}

// The module's postcondition fails an apply with an unfinished instance, but does not
// taint it.
func TestGuestbookUnpaid(t *testing.T) {
	fake := startFake(t)
	w := newGuestbook(t, fake)
	r := w.run("apply", "-auto-approve", "-no-color", "-var", "plan=small")
	checkout := fake.Instances()[0].CheckoutURL
	if r.exit != 1 || !strings.Contains(r.output, "The instance waits for its checkout. Open "+checkout) {
		t.Fatalf("the apply before the checkout: got exit %d, want 1 and the checkout's address:\n%s", r.exit, r.output)
	}
	w.mustBeKept("hosting_instance", "this")
	if err := fake.PayCheckout(onlyInstance(t, fake)); err != nil {
		t.Fatal(err)
	}
	if r := w.run("apply", "-auto-approve", "-no-color", "-var", "plan=small"); r.exit != 0 {
		t.Fatalf("the apply after the checkout: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	mustBeOnce(t, fake)
}

// A failed app causes exactly one error, which says why. Neither the module's
// postconditions nor resources that need the app add another.
func TestGuestbookThatFailsIsOneError(t *testing.T) {
	t.Parallel()
	for way, row := range map[string]struct {
		fail func(*fakeservicetest.Server) (remove func())
		says string
	}{
		"to build": {
			func(fake *fakeservicetest.Server) func() {
				return fake.FailBuilds(fakeservice.BuildMatch{}, -1, "error: no such file app.go")
			}, "error: no such file app.go",
		},
		"to run": {
			func(fake *fakeservicetest.Server) func() {
				return fake.FailStarts(fakeservice.AppMatch{}, -1, fakeservice.AppFailure{Status: 404, Log: "listening"})
			}, "its last answer was 404 Not Found",
		},
	} {
		t.Run(way, func(t *testing.T) {
			fake := startFake(t)
			w := newGuestbook(t, fake)
			mustBeOneError := func() {
				t.Helper()
				defer row.fail(fake)()
				r := w.run("apply", "-auto-approve", "-no-color")
				if r.exit != 1 || strings.Count(r.output, "Error: ") != 1 || !strings.Contains(r.output, row.says) {
					t.Errorf("the apply: got exit %d, want 1 and one error with %q:\n%s", r.exit, row.says, r.output)
				}
				if app := w.saved("hosting_app", "this"); app == nil || app.Attributes["status"] != "failed" {
					t.Errorf("hosting_app.this in the state: got %+v, want the status failed", app)
				}
			}
			mustBeOneError()
			w.apply()
			w.mustBeSettled()
			if way == "to run" { // also in an update
				w.write("branch.auto.tfvars", "branch = \"next\"\n")
				mustBeOneError()
				w.apply()
				w.mustBeSettled()
			}
		})
	}
}

// Two SIGINTs or a kill leave no time to save anything. The fault table covers them. A
// single SIGINT to the whole group, which a terminal sends, acts like Ctrl-C.
func TestCtrlCOfATerminalReachesTheGroup(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, instanceHCL(`engines = {}`))
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the creation's job is polled", func() bool { return fake.Count("GET", "/jobs/*") > 0 })
	apply.signalGroup(syscall.SIGINT)
	apply.wait()
	w.mustBeKept("hosting_instance", "test")
	release()
	w.apply()
	if n := fake.Count("POST", "/instances"); n != 1 {
		t.Errorf("creations: got %d, want 1", n)
	}
}

// This runs the module's own test like a user of the module.
func TestGuestbookOwnTest(t *testing.T) {
	sql := &recorder{}
	fake := fakeservicetest.Start(t, func(o *fakeservice.Options) { o.Speed, o.Querier = testSpeed, sql })
	w := newGuestbook(t, fake)
	if err := os.Remove(filepath.Join(w.folder, "test.auto.tfvars")); err != nil {
		t.Fatal(err)
	}
	r := w.run("test", "-no-color")
	if r.exit != 0 || !strings.Contains(r.output, "Success!") {
		t.Fatalf("terraform test: got exit %d, want 0 and success:\n%s", r.exit, r.output)
	}
	for what, n := range fake.Left() {
		if n != 0 {
			t.Errorf("%s after terraform test: got %d, want none", what, n)
		}
	}
}
