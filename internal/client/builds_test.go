package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The times for which an app must have a status that it may have had before.
const (
	runningHolds = ReadLag
	failedHolds  = time.Minute + ReadLag
)

func TestBuilds(t *testing.T) {
	app := func(status string) http.HandlerFunc {
		return says(200, object{"name": "a", "status": status, "env": object{}})
	}
	builds := func(builds ...object) http.HandlerFunc {
		return says(200, object{"builds": append([]object{}, builds...)})
	}
	succeeded := builds(object{"id": "b-1", "status": "successful"})
	running := builds(object{"id": "b-1", "status": "running"})
	always := func(h http.HandlerFunc) func() http.HandlerFunc { return func() http.HandlerFunc { return h } }
	for name, row := range map[string]struct {
		builds, app func() http.HandlerFunc
		build       string // "b-1" by default
		before      string // the app's status
		want        string // in the error; "" for none
		takes       time.Duration
	}{
		"deployed":                    {always(succeeded), always(app(AppRunning)), "", "", "", 0},
		"in other words":              {always(builds(object{"id": "b-1", "status": "Deployed"})), always(app(AppRunning)), "", "", "", 0},
		"failed":                      {always(builds(object{"id": "b-1", "status": "failed", "error": "line 1\nline 2"})), always(app(AppBuilding)), "", "", "build b-1 of app a failed. The end of the build's log:\n\n  line 1\n  line 2", 0},
		"failed, its log in the way":  {always(builds(object{"id": "b-1", "status": "failed", "error": object{"log": 1}})), always(app(AppBuilding)), "", "", "build b-1 of app a failed", 0},
		"cancelled":                   {always(builds(object{"id": "b-1", "status": "canceled"})), always(app(AppBuilding)), "", "", "build b-1 of app a was cancelled", 0},
		"replaced":                    {always(builds(object{"id": "b-3", "status": "successful"}, object{"id": "b-2", "status": "canceled"}, object{"id": "b-1", "status": "cancelled"})), always(app(AppRunning)), "", "", "", 0},
		"replaced by one that fails":  {always(builds(object{"id": "b-2", "status": "failed"}, object{"id": "b-1", "status": "cancelled"})), always(app(AppBuilding)), "", "", "build b-2 of app a failed", 0},
		"all cancelled":               {always(builds(object{"id": "b-2", "status": "cancelled"}, object{"id": "b-1", "status": "cancelled"})), always(app(AppBuilding)), "", "", "build b-2 of app a was cancelled", 0},
		"unhealthy":                   {always(succeeded), always(app(AppFailed)), "", "", "app a does not run: its health path did not answer 200 within a minute", 0},
		"a newer one is there":        {always(builds(object{"id": "b-2", "status": "failed"}, object{"id": "b-1", "status": "successful"})), always(app(AppRunning)), "", "", "", 0},
		"the newest, whichever it is": {always(builds(object{"id": "b-2", "status": "failed"}, object{"id": "b-1", "status": "successful"})), always(app(AppRunning)), "newest", "", "build b-2 of app a failed", 0},
		"the newest, listed late": {
			func() http.HandlerFunc {
				return during(10*time.Second, succeeded, builds(object{"id": "b-2", "status": "failed"}))
			},
			always(app(AppRunning)), "newest", AppRunning, "build b-2 of app a failed", ReadLag,
		},
		"listed late":              {func() http.HandlerFunc { return during(10*time.Second, builds(), succeeded) }, always(app(AppRunning)), "", "", "", 10 * time.Second},
		"the app listed late":      {func() http.HandlerFunc { return during(10*time.Second, notFound, succeeded) }, func() http.HandlerFunc { return during(15*time.Second, notFound, app(AppRunning)) }, "", "", "", 15 * time.Second},
		"a gateway's 404 for 20 s": {func() http.HandlerFunc { return during(20*time.Second, gateway(404), succeeded) }, func() http.HandlerFunc { return during(40*time.Second, gateway(404), app(AppRunning)) }, "", "", "", 40 * time.Second},
		"it takes its time":        {func() http.HandlerFunc { return during(180*time.Second, running, succeeded) }, func() http.HandlerFunc { return during(200*time.Second, app(AppBuilding), app(AppRunning)) }, "", "", "", 200 * time.Second},
		"it ran before":            {always(succeeded), always(app(AppRunning)), "", AppRunning, "", runningHolds},
		"it ran before, and then fails": {always(succeeded), func() http.HandlerFunc {
			return during(5*time.Second, app(AppRunning), during(5*time.Second, app(AppBuilding), app(AppFailed)))
		}, "", AppRunning, "did not answer 200", 5 * time.Second},
		"it had failed, and then runs":  {always(succeeded), func() http.HandlerFunc { return during(20*time.Second, app(AppFailed), app(AppRunning)) }, "", AppFailed, "", 20 * time.Second},
		"it had failed, and still does": {always(succeeded), always(app(AppFailed)), "", AppFailed, "did not answer 200", failedHolds},
		"never listed":                  {always(builds()), always(app(AppBuilding)), "", "", "stopped waiting for build b-1 of app a (queued)", 30 * time.Minute},
		"a status nobody knows":         {always(builds(object{"id": "b-1", "status": "pondering"})), always(app(AppBuilding)), "", "", "stopped waiting for build b-1 of app a (pondering)", 30 * time.Minute},
		"the app's record has none":     {always(succeeded), always(says(200, object{"name": "a"})), "", "", "", runningHolds},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, wire := newTestClient(t, script{"GET /instances/i/apps/a": row.app(), "GET /instances/i/apps/a/builds": row.builds()}.Serve)
			build := map[string]string{"": "b-1", "newest": ""}[row.build]
			begun := time.Now()
			err := c.WaitDeployed(within(t, 30*time.Minute), "i", "a", build, row.before)
			took := time.Since(begun)
			if row.want == "" && err != nil || row.want != "" && (err == nil || !contains(err.Error(), row.want)) {
				t.Errorf("WaitDeployed: got error %v, want %q", err, row.want)
			}
			if took < row.takes || took > row.takes+row.takes/3+longestBlind+2*time.Second {
				t.Errorf("WaitDeployed: got an end after %s, want one after %s", took, row.takes)
			}
			if n := len(wire.Requests()); n > 250 {
				t.Errorf("requests: got %d, want at most 250", n)
			}
		})
	}
}

// The status from before a restart says nothing about the status after it.
func TestWaitAppRunning(t *testing.T) {
	app := func(status string) http.HandlerFunc { return says(200, object{"name": "a", "status": status}) }
	for name, row := range map[string]struct {
		before string
		app    func() http.HandlerFunc
		err    error
		takes  time.Duration
	}{
		"it shows the restart":         {AppRunning, func() http.HandlerFunc { return during(5*time.Second, app(AppBuilding), app(AppRunning)) }, nil, 5 * time.Second},
		"it runs, as before":           {AppRunning, func() http.HandlerFunc { return app(AppRunning) }, nil, runningHolds},
		"it ran, and is failed now":    {AppRunning, func() http.HandlerFunc { return during(5*time.Second, app(AppRunning), app(AppFailed)) }, &AppError{}, 5 * time.Second},
		"it had failed, and runs":      {AppFailed, func() http.HandlerFunc { return during(30*time.Second, app(AppFailed), app(AppRunning)) }, nil, 30 * time.Second},
		"it had failed, and fails":     {AppFailed, func() http.HandlerFunc { return app(AppFailed) }, &AppError{}, failedHolds},
		"it fails anew":                {AppFailed, func() http.HandlerFunc { return during(5*time.Second, app(AppBuilding), app(AppFailed)) }, &AppError{}, 5 * time.Second},
		"a gateway's 404 for a minute": {AppRunning, func() http.HandlerFunc { return during(time.Minute, gateway(404), app(AppRunning)) }, nil, time.Minute},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, _ := newTestClient(t, script{"GET /instances/i/apps/a": row.app()}.Serve)
			begun := time.Now()
			err := c.WaitAppRunning(within(t, time.Hour), "i", "a", row.before)
			if row.err == nil && err != nil || row.err != nil && !isAs[*AppError](err) {
				t.Errorf("WaitAppRunning: got error %v, want one of type %T", err, row.err)
			}
			if took := time.Since(begun); took < row.takes || took > row.takes+row.takes/3+longestBlind+2*time.Second {
				t.Errorf("WaitAppRunning: got an end after %s, want one after %s", took, row.takes)
			}
		})
	}
}

// The error of a failed deployment shows the data of the records.
func TestFailedDeploymentTellsWhatTheRecordsTold(t *testing.T) {
	failure := object{"status": 503, "exited": false, "log": "cannot connect to postgres://u:p4ss@h with a-canary and in-the-record"}
	for name, row := range map[string]struct {
		build  object
		status string
		before string
		want   error
	}{
		"unhealthy": {
			object{"id": "b", "status": "successful"}, AppFailed, AppBuilding,
			&AppError{Before: AppBuilding, App: App{Name: "a", AppSettings: AppSettings{Port: Some[int64](3000), HealthPath: Some("/up")}, Status: AppFailed, Failure: AppFailure{
				Status: Some(503), Exited: Some(false), Log: Log{Text: "cannot connect to postgres://u:(secret)@h with (secret) and (secret)"},
			}}},
		},
		"failed to build": {
			object{"id": "b", "status": "failed", "error": "no a-canary in-the-record"}, AppRunning, AppRunning,
			&BuildError{App: "a", Build: Build{ID: "b", Status: "failed", Error: Log{Text: "no (secret) (secret)"}}, Before: AppRunning, After: AppRunning},
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, _ := newTestClient(t, script{
				"GET /instances/i/apps/a":        says(200, object{"name": "a", "status": row.status, "port": 3000, "health_path": "/up", "env": object{"TOKEN": "in-the-record"}, "failure": failure}),
				"GET /instances/i/apps/a/builds": says(200, object{"builds": []object{row.build}}),
			}.Serve)
			c.HideSecret("a-canary")
			err := c.WaitDeployed(t.Context(), "i", "a", "b", row.before)
			if diff := cmp.Diff(row.want, err, cmp.AllowUnexported(Log{}), cmpopts.IgnoreFields(App{}, "Env")); diff != "" {
				t.Errorf("the error of WaitDeployed (-want +got):\n%s", diff)
			}
		})
	}
}

// A failed build is reported even if the app's record cannot be read. Its log may contain
// the app's variables, so it is not shown.
func TestFailedBuildOfAnUnreadableApp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, script{
			"GET /instances/i/apps/a":        gateway(502),
			"GET /instances/i/apps/a/builds": says(200, object{"builds": []object{{"id": "b", "status": "failed", "error": "a-log"}}}),
		}.Serve)
		err := c.WaitDeployed(t.Context(), "i", "a", "b", AppRunning)
		var failed *BuildError
		if !errors.As(err, &failed) || failed.Build.Error.Text != "" || !errors.Is(failed.Build.Error.Withheld, transport.ErrForeign) || contains(err.Error(), "a-log") || failed.After != "" {
			t.Errorf("WaitDeployed: got error %+v, want a *BuildError with the log withheld", err)
		}
	})
}

func TestInterruptedWaitForABuild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, says(200, object{"builds": []object{{"id": "b-1", "status": "running"}}}))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second, cancel)
		err := c.WaitDeployed(ctx, "i", "a", "b-1", "")
		if !isAs[*InterruptedError](err) || !errors.Is(err, context.Canceled) {
			t.Errorf("WaitDeployed: got error %v, want an *InterruptedError for context.Canceled", err)
		}
	})
}

func TestBuildWords(t *testing.T) {
	for status, want := range map[Word][2]bool{
		"queued": {false, false}, "running": {false, false}, "": {false, false}, "pondering": {false, false},
		"successful": {true, false}, "success": {true, false}, "succeeded": {true, false}, "deployed": {true, false},
		"failed": {false, true}, "failure": {false, true}, "error": {false, true}, "cancelled": {false, true}, "canceled": {false, true},
	} {
		build := Build{Status: status}
		if got := [2]bool{build.Succeeded(), build.Failed()}; got != want {
			t.Errorf("%q: got succeeded and failed %v, want %v", status, got, want)
		}
	}
}

// history serves an app's builds as the service does: in pages of at most 250 or limit.
// The newest build has the highest number.
func history(builds []object) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		begin, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil {
			limit = 200
		}
		end := min(begin+limit, len(builds))
		page := object{"builds": builds[begin:end]}
		if end < len(builds) {
			page["next_cursor"] = strconv.Itoa(end)
		}
		respond(w, 200, page)
	}
}

// numbered returns builds b-n to b-1.
func numbered(n int, status, log string) []object {
	var builds []object
	for i := n; i > 0; i-- {
		builds = append(builds, object{"id": fmt.Sprintf("b-%d", i), "status": status, "error": log})
	}
	return builds
}

// In a long history, only the pages up to the wanted build are read.
func TestLongHistories(t *testing.T) {
	const newest = 3000
	found := func(ctx context.Context, c *Client, id string) error {
		return c.waitBuilt(ctx, "i", "a", id, AppRunning)
	}
	for name, row := range map[string]struct {
		read func(context.Context, *Client) error
		want int // requests for builds
	}{
		"all": {func(ctx context.Context, c *Client) error { return wants[[]Build](newest)(c.Builds(ctx, "i", "a")) }, 18},
		"the newest": {func(ctx context.Context, c *Client) error {
			return wants[[]Build](firstBuilds)(c.RecentBuilds(ctx, "i", "a", NewestBuilds))
		}, 1},
		"a wait, the newest": {func(ctx context.Context, c *Client) error { return found(ctx, c, "") }, 1},
		"a wait, a new one":  {func(ctx context.Context, c *Client) error { return found(ctx, c, "b-3000") }, 1},
		"a wait, an old one": {func(ctx context.Context, c *Client) error { return found(ctx, c, "b-2950") }, 2},
		"a wait, the oldest": {func(ctx context.Context, c *Client) error { return found(ctx, c, "b-1") }, 18},
		"what an action adds": {func(ctx context.Context, c *Client) error {
			return wants[map[string]bool](firstBuilds)(c.buildIDs(ctx, "i", "a"))
		}, 1},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, wire := newTestClient(t, history(numbered(newest, "successful", "")))
			must.Report(t, row.read(within(t, time.Hour), c))
			if n := wire.Count("GET"); n != row.want {
				t.Errorf("requests: got %d, want %d", n, row.want)
			}
		})
	}
}

// The search for a build that is not listed yet reads the whole history once. Later it
// reads only builds above the known ones.
func TestBuildListedLateInALongHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, during(time.Minute, history(numbered(3000, "successful", "")), history(numbered(3001, "successful", ""))))
		begun := time.Now()
		if err := c.waitBuilt(within(t, time.Hour), "i", "a", "b-3001", AppRunning); err != nil || time.Since(begun) < time.Minute {
			t.Errorf("the build: got it after %s with error %v, want it after a minute without an error", time.Since(begun), err)
		}
		if n := wire.Count("GET"); n < 20 || n > 100 {
			t.Errorf("requests: got %d, want 18 and then one for each look", n)
		}
	})
}

// The logs of many failed builds do not fit into one answer. They are read in parts.
func TestBuildsWithLargeLogs(t *testing.T) {
	log := strings.Repeat("x", 30<<10)
	for name, row := range map[string]struct {
		builds []object
		want   int // requests for all
	}{
		"200 of 30 KB": {numbered(200, "failed", log), 4},
		"30 of 600 KB": {numbered(30, "failed", strings.Repeat(log, 20)), 8},
		"one over all": {numbered(1, "failed", strings.Repeat(log, 100)), 1},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, wire := newTestClient(t, history(row.builds))
			if err := wants[[]Build](len(row.builds))(c.Builds(t.Context(), "i", "a")); err != nil || wire.Count("GET") != row.want {
				t.Errorf("Builds: got error %v and %d requests, want none and %d", err, wire.Count("GET"), row.want)
			}
		})
	}
	// Answers that are too large arrive, so a service that sends them slowly is not away.
	inBubble(t, "each after 8 seconds", func(t *testing.T) {
		slow := history(numbered(30, "failed", strings.Repeat(log, 20)))
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(8 * time.Second)
			slow(w, r)
		})
		must.Report(t, wants[[]Build](30)(c.Builds(t.Context(), "i", "a")))
	})
	inBubble(t, "one that is too large", func(t *testing.T) {
		c, wire := newTestClient(t, history(numbered(1, "failed", strings.Repeat(log, 200))))
		if _, err := c.Builds(t.Context(), "i", "a"); !errors.Is(err, transport.ErrBodyTooLarge) || wire.Count("GET") > 6 {
			t.Errorf("Builds: got error %v after %d requests, want ErrBodyTooLarge after 6 at most", err, wire.Count("GET"))
		}
	})
}

// wants returns a function that fails unless n items were read.
func wants[T []Build | map[string]bool](n int) func(T, error) error {
	return func(things T, err error) error {
		if err == nil && len(things) != n {
			err = fmt.Errorf("items that were read: got %d, want %d", len(things), n)
		}
		return err
	}
}

func TestIDOfABuild(t *testing.T) {
	for raw, want := range map[string]string{
		`{"id": "bld-1"}`:           "bld-1",
		`{"id": 4711}`:              "4711",
		`{"id": null}`:              "",
		`{}`:                        "",
		`{"id": true}`:              "the field id is not a text: bool",
		`{"id": "b", "commit": 47}`: "the field commit is not a text: number",
	} {
		var build Build
		err := json.Unmarshal([]byte(raw), &build)
		got := build.ID
		if err != nil {
			got = transport.FieldText(err)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}
