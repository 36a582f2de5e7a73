package fakeservice_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Resets in the middle of requests, jobs and builds, through Reset and the control route,
// cause no internal error and leave nothing behind. With -race, the test shows that all
// of them use the lock correctly.
func TestResetsUnderLoad(t *testing.T) {
	t.Parallel()
	a := start(t, func(o *fakeservice.Options) { o.Speed = 5000 })
	const resets, between = 40, 12
	over, worked := make(chan struct{}), make(chan struct{})
	var workers sync.WaitGroup
	work := func(act func(n int) error) {
		workers.Go(func() {
			for n := 0; ; n++ {
				must.Report(t, act(n))
				select {
				case worked <- struct{}{}:
				case <-over:
					return
				}
			}
		})
	}
	// Any answer is accepted except an internal error.
	try := func(method, path string, body any) (answer, error) {
		got, err := a.try(method, path, body)
		if err == nil && got.status == http.StatusInternalServerError {
			err = fmt.Errorf("%s %s answered %d %s", method, path, got.status, got.text)
		}
		return got, err
	}
	for range 2 {
		work(func(n int) error {
			made, err := try("POST", "/instances", object{"name": fmt.Sprint("box-", n), "plan": "free", "region": "eu-central", "engines": object{"postgres": true, "apps": true, "auth": true}})
			if err != nil {
				return err
			}
			path := "/instances/" + made.string("id")
			a.Advance(8 * time.Minute)
			for _, step := range []struct {
				method, path string
				body         any
			}{
				{"GET", "/jobs/" + made.string("job_id"), nil},
				{"POST", path + "/apps/import", guestbook()},
				{"GET", path + "/apps/web/builds", nil},
				{"PATCH", path, object{"name": "renamed"}},
				{"GET", path + "/connection", nil},
				{"POST", path + "/actions/rotate", object{}},
				{"DELETE", path + "?confirm=" + made.string("id"), nil},
			} {
				if _, err := try(step.method, step.path, step.body); err != nil {
					return err
				}
			}
			return nil
		})
	}
	work(func(int) error { _, err := try("GET", "/instances", nil); return err })
	work(func(int) error {
		_, err := try("POST", "/webhooks", object{"url": "https://hooks.example.com"})
		a.Advance(26 * time.Hour)
		return err
	})
	work(func(n int) error {
		// Past states are kept and removed by resets while reads use them.
		a.SetConditions(fakeservice.Conditions{Lag: time.Duration(n%2) * time.Second})
		a.SetWeather(weather.Calm, 0)
		release := a.HoldJobs(fakeservice.JobMatch{Operation: "update"})
		a.FailJobs(fakeservice.JobMatch{Operation: "rotate"}, 1, "injected", "it was to fail")
		release()
		return nil
	})
	work(func(int) error {
		for _, in := range a.Instances() {
			a.AddApp(in.ID, fakeservice.App{Name: "more"})
			a.EditInstance(in.ID, func(in *fakeservice.Instance) { in.Tags = append(in.Tags, "seen") })
		}
		_, _, _, _ = a.Jobs(), a.Events(), a.Requests(), a.Left()
		return nil
	})

	for n := range resets {
		for range between {
			<-worked
		}
		for _, violation := range a.Violations() { // a reset removes them
			t.Error(violation)
		}
		if n%2 == 0 {
			a.Reset()
			continue
		}
		if status, got := a.control("POST", "/reset", ""); status != http.StatusOK {
			t.Errorf("the reset: got %d %v, want 200", status, got)
		}
	}
	close(over)
	workers.Wait()
	a.Reset()
	a.Advance(time.Hour)
	for what, left := range a.Left() {
		if left > 0 {
			t.Errorf("%s after the last reset: got %d, want none", what, left)
		}
	}
	if jobs, requests := a.Jobs(), a.Requests(); len(jobs) > 0 || len(requests) > 0 {
		t.Errorf("after the last reset: got %d jobs and %d requests, want none", len(jobs), len(requests))
	}
}
