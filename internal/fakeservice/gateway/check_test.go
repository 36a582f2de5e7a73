package gateway

import (
	"strings"
	"testing"
	"time"
)

// A fault that can never match or apply would let a test pass without it.
func TestFaultsThatCannotApply(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]Fault{
		`method: "FETCH"`:        {Method: "FETCH", Page: 503},
		`method: "get"`:          {Method: "get", Page: 503},
		`path: "/instances/["`:   {Path: "/instances/[", Page: 503},
		`path: "instances"`:      {Path: "instances", Page: 503},
		`path: "/a?b"`:           {Path: "/a?b", Page: 503},
		`path: "/**/apps"`:       {Path: "/**/apps", Page: 503},
		"page must be":           {Page: 200},
		"status must be":         {Status: 700},
		"must not be under 0":    {Delay: -time.Second},
		"drop, page and status":  {Drop: true, Status: 503},
		"page and status":        {Page: 503, Status: 503},
		"after_commit and":       {AfterCommit: true, CommitAfter: time.Second},
		"truncate and break_off": {Truncate: true, BreakOff: true},
		"body and body_size":     {Body: []byte("x"), BodySize: 1},
		"need status":            {Code: "job_running"},
		"pace needs":             {Pace: time.Second},
	} {
		if err := f.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check of %+v: got error %v, want %q", f, err, want)
		}
	}
	for _, f := range []Fault{
		{}, {Method: "GET", Path: "/instances/*", Page: 404, For: time.Second}, {Path: "/portal/**", Drop: true, AfterCommit: true},
		{Status: 409, Code: "job_running", Detail: "x", Times: -1}, {CommitAfter: time.Second}, {BodySize: 5, Pace: 1}, {Lag: time.Second},
	} {
		if err := f.Check(); err != nil {
			t.Errorf("Check of %+v: got error %v, want none", f, err)
		}
	}
}
