package main

import (
	"testing"
	"time"
)

func TestDoing(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	began := now.Add(-9500 * time.Millisecond)
	for name, test := range map[string]struct {
		work      loggedWork
		log, want string
	}{
		"a job":               {loggedWork{Operation: "create", Progress: 40, RealStarted: &began}, "", "create ████░░░░░░ 40 %, 9s"},
		"a job of no start":   {loggedWork{Operation: "create"}, "", "create ░░░░░░░░░░ 0 %"},
		"a build":             {loggedWork{Operation: buildOperation, App: "web", RealStarted: &began}, "one\ntwo\n\n", "build of web, 9s: two"},
		"a build of no words": {loggedWork{Operation: buildOperation, App: "web", RealStarted: &began}, " \n", "build of web, 9s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.work.doing(now, test.log); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestActivity(t *testing.T) {
	t.Parallel()
	const (
		done  = `{"id":"j-1","instance_id":"i","operation":"create","status":"done","progress":100}`
		job   = `{"id":"j-2","instance_id":"i","operation":"app_update","status":"running","progress":55}`
		later = `{"id":"j-3","instance_id":"i","operation":"console","status":"queued"}`
		build = `{"id":"b-1","instance_id":"i","app":"web","status":"running"}`
	)
	for name, test := range map[string]struct{ jobs, want string }{
		"nothing runs":      {`{"jobs":[` + done + `],"builds":[]}`, ""},
		"a job and a build": {`{"jobs":[` + done + `,` + job + `,` + later + `],"builds":[` + build + `]}`, "app_update █████░░░░░ 55 % · build of web: compiling"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := served(t, map[string]string{"/_fake/jobs": test.jobs, "/_fake/apps/i/web/builds/b-1/log": `{"log":"$ go build\ncompiling\n"}`})
			if got, err := fake.activity(t.Context()); got != test.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
	if got, err := served(t, nil).activity(t.Context()); err == nil {
		t.Errorf("a fake without an answer: got %q, want an error", got)
	}
}
