package hostingtest_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A test sets the start of the clock and the duration of a job.
func TestClock(t *testing.T) {
	t.Parallel()
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	s := hostingtest.Start(t, hostingtest.WithStart(start), hostingtest.WithSpeed(1))
	s.SetDuration("create", 2*time.Hour)
	send(t, s, http.MethodPost, "/instances", shop)
	s.Advance(time.Hour)
	if status := s.Instances()[0].Status; status != "creating" {
		t.Errorf("the instance after an hour: got %s, want creating", status)
	}
	s.Advance(time.Hour)
	if status := s.Instances()[0].Status; status != "running" {
		t.Errorf("the instance after two hours: got %s, want running", status)
	}
	if passed := s.Now().Sub(start); passed < 2*time.Hour || passed > 3*time.Hour {
		t.Errorf("the time that has passed: got %s, want from 2h to 3h", passed)
	}
}

// A paid instance waits for its checkout, and a test can end a held job.
func TestCheckoutAndFinishedJobs(t *testing.T) {
	t.Parallel()
	s := hostingtest.Start(t)
	_, made := send(t, s, http.MethodPost, "/instances", strings.Replace(shop, "free", "small", 1))
	id := made["id"].(string)
	s.Advance(time.Hour)
	if status := s.Instances()[0].Status; status == "running" {
		t.Error("status of an unpaid instance: got running, want a different status")
	}
	must.Do(t, s.PayCheckout(id))
	s.Advance(time.Hour)
	if status := s.Instances()[0].Status; status != "running" {
		t.Errorf("a paid instance: got %s, want running", status)
	}
	if err := s.PayCheckout(id); err == nil {
		t.Error("a second payment of a checkout: got no error, want one")
	}

	s.HoldJobs(hostingtest.JobMatch{Operation: "update"})
	_, pending := send(t, s, http.MethodPatch, "/instances/"+id, `{"name":"store"}`)
	must.Do(t, s.FinishJob(pending["job_id"].(string)))
	if name := s.Instances()[0].Name; name != "store" {
		t.Errorf("the instance's name: got %s, want store", name)
	}
	if err := s.FinishJob("j-none"); err == nil {
		t.Error("FinishJob of an unknown job: got no error, want one")
	}
}

// Builds can be held and made to fail like jobs, and apps can fail to run.
func TestBuildsAndAppsGoWrong(t *testing.T) {
	t.Parallel()
	s := hostingtest.Start(t)
	id := s.AddInstance(hostingtest.Instance{Name: "shop", Engines: map[string]*hostingtest.Engine{"postgres": {}, "apps": {}}}).ID
	if _, added := s.AddApp(id, hostingtest.App{Name: "web", Repo: "octo/web", Branch: "main"}); !added {
		t.Fatal("the app was not added")
	}
	if _, added := s.AddApp("i-none", hostingtest.App{Name: "web"}); added {
		t.Error("AddApp to an unknown instance: got an app, want none")
	}
	redeploy := func() hostingtest.App {
		t.Helper()
		if status, answer := send(t, s, http.MethodPost, "/instances/"+id+"/apps/web/actions/redeploy", ""); status != http.StatusAccepted {
			t.Fatalf("the redeployment: got %d %v, want 202", status, answer)
		}
		s.Advance(time.Hour)
		return s.Apps(id)[0]
	}

	release := s.HoldBuilds(hostingtest.BuildMatch{App: "web"})
	if app := redeploy(); !app.Builds[0].InProgress() {
		t.Errorf("a build that is held: got %s, want it in progress", app.Builds[0].Status)
	}
	release()
	if build := s.Apps(id)[0].Builds[0]; build.Status != "successful" {
		t.Errorf("a build that was let go: got %s, want successful", build.Status)
	}
	s.FailBuilds(hostingtest.BuildMatch{}, 1, "no such file app.go")
	if build := redeploy().Builds[0]; build.Status != "failed" || build.Error != "no such file app.go" {
		t.Errorf("the build: got %+v, want it failed with the error", build)
	}
	remove := s.FailApps(hostingtest.AppMatch{App: "web"}, -1, hostingtest.AppFailure{Status: http.StatusNotFound})
	if app := redeploy(); app.Status != "failed" || app.Failure == nil || app.Failure.Status != http.StatusNotFound {
		t.Errorf("the app: got %s and %+v, want it failed with 404", app.Status, app.Failure)
	}
	remove()
	commit := s.Push("octo/web", "main")
	if app := redeploy(); app.Status != "running" || app.Builds[0].Commit != commit {
		t.Errorf("the app: got %s with the build %+v, want it running with the commit %s", app.Status, app.Builds[0], commit)
	}
}

// Clients see changes made outside of them, and cannot reach a service that is away.
func TestChangesFromOutside(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := hostingtest.Start(t, hostingtest.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	id := s.AddInstance(hostingtest.Instance{Name: "shop"}).ID
	if !s.EditInstance(id, func(i *hostingtest.Instance) { i.Name = "kiosk" }) || s.EditInstance("i-none", func(*hostingtest.Instance) {}) {
		t.Error("the wrong instance was edited")
	}
	if _, record := send(t, s, http.MethodGet, "/instances/"+id, ""); record["name"] != "kiosk" {
		t.Errorf("the instance: got %v, want the name kiosk", record)
	}
	s.Away(time.Hour, http.StatusBadGateway)
	if status, _ := send(t, s, http.MethodGet, "/instances/"+id, ""); status != http.StatusBadGateway {
		t.Errorf("a service that is away: got %d, want 502", status)
	}
	s.Away(0, 0)

	_, endpoint := send(t, s, http.MethodPost, "/webhooks", `{"url":"https://hooks.example.com/shop","secret":"whsec_0123456789abcdef"}`)
	if hooks := s.Webhooks(); len(hooks) != 1 || hooks[0].ID != endpoint["id"] || hooks[0].Secret == "" {
		t.Errorf("the endpoints: got %+v, want %v with a secret", hooks, endpoint)
	}
	send(t, s, http.MethodPatch, "/instances/"+id, `{"name":"store"}`)
	s.Advance(time.Hour)
	if events := s.Events(); len(events) != 1 || events[0].InstanceID != id {
		t.Errorf("the events: got %+v, want the one of the change", events)
	}
	if err := s.Close(); err != nil { // nothing is logged after Close
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "operation=update") {
		t.Errorf("the log: got\n%s\nwant the job in it", &log)
	}
}

// Setenv sets environment variables only for the test.
func TestSetenv(t *testing.T) {
	s := hostingtest.Start(t)
	t.Run("inside", func(t *testing.T) {
		s.Setenv(t)
		if url, key := os.Getenv("HOSTING_BASE_URL"), os.Getenv("HOSTING_API_KEY"); url != s.BaseURL || key != s.APIKey {
			t.Errorf("the environment: got %s with the key %s, want %s with %s", url, key, s.BaseURL, s.APIKey)
		}
	})
	if url := os.Getenv("HOSTING_BASE_URL"); url == s.BaseURL {
		t.Error("HOSTING_BASE_URL after the test: got the service, want another value")
	}
}

// Two services are two accounts, and a fork is another one. All keys of a service belong
// to its account.
func TestAccounts(t *testing.T) {
	t.Parallel()
	s, other := hostingtest.Start(t), hostingtest.Start(t)
	if s.AccountID() == other.AccountID() {
		t.Errorf("the accounts of two services: got %s twice, want two", s.AccountID())
	}
	if fork := s.Fork(t); fork.AccountID() == s.AccountID() {
		t.Errorf("the account of the fork: got that of the service, %s, want another", fork.AccountID())
	}
	key := must.Get(s.CreateKey("second"))(t)
	for _, key := range []string{s.APIKey, key} {
		as := *s
		as.APIKey = key
		if _, me := send(t, &as, http.MethodGet, "/me", ""); me["id"] != s.AccountID() {
			t.Errorf("GET /me: got %v, want the account %s", me, s.AccountID())
		}
	}
	same := hostingtest.Start(t, hostingtest.WithSetup(hostingtest.Setup{}.WithAccountID(s.AccountID())))
	if same.AccountID() != s.AccountID() {
		t.Errorf("the service that was given the account: got %s, want %s", same.AccountID(), s.AccountID())
	}
}
