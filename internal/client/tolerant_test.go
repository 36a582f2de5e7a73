package client

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestPendingShapes(t *testing.T) {
	for raw, want := range map[string]Pending{
		`{"job_id": "j-1"}`:                     {JobID: "j-1"},
		`{"job": {"id": "j-1", "status": "x"}}`: {JobID: "j-1"},
		`{"job": "j-1"}`:                        {JobID: "j-1"},
		`{"job_id": null, "job": "j-1"}`:        {JobID: "j-1"},
		`{"job_id": "j-1", "build_id": "b-1"}`:  {JobID: "j-1", BuildID: "b-1"},
		`{"job_id": "j-1", "build_id": null}`:   {JobID: "j-1"},
		`{"id": "j-1", "operation": "reset"}`:   {JobID: "j-1"},
		`{"id": "j-1", "progress": 0}`:          {JobID: "j-1"},
		`{"id": "j-1", "progress": "x"}`:        {JobID: "j-1"},
		`{"id": "i-1", "status": "running"}`:    {}, // an instance's record
		`{"operation": 7, "job_id": "j-1"}`:     {JobID: "j-1"},
		`{"job": null}`:                         {},
		`{}`:                                    {},
		`null`:                                  {},
		`{"extra": {"deep": [1]}}`:              {},
	} {
		var got Pending
		if err := json.Unmarshal([]byte(raw), &got); err != nil || got != want {
			t.Errorf("%s: got %+v and error %v, want %+v", raw, got, err, want)
		}
	}
	for _, raw := range []string{`[]`, `"j-1"`, `{"job_id": 7}`, `{"job": 7}`} {
		if err := json.Unmarshal([]byte(raw), &Pending{}); err == nil {
			t.Errorf("%s: got it read, want an error", raw)
		}
	}
}

func TestAppFailureShapes(t *testing.T) {
	for raw, want := range map[string]AppFailure{
		`{"status": 503, "exited": false, "log": "line"}`:    {Status: Some(503), Exited: Some(false), Log: Log{raw: "line"}},
		`{"status": null, "exited": true, "log": ""}`:        {Status: Some(0), Exited: Some(true)},
		`{"status": "503", "exited": 1, "log": ["line"]}`:    {Status: Some(503)},
		`{"status": 503.5, "exited": null, "log": {"a": 1}}`: {},
		`{"status": {}, "exited": "yes", "log": "line"}`:     {Log: Log{raw: "line"}},
		`{"exited": true, "reason": "it ran out of memory"}`: {Exited: Some(true)},
		`{"status": 99999999999999999999, "log": null}`:      {},
		`null`: {}, `7`: {}, `true`: {}, `"it crashed"`: {}, `[]`: {}, `[{"status": 503}]`: {}, `{}`: {},
	} {
		app := App{Failure: AppFailure{Status: Some(1), Exited: Some(true), Log: Log{raw: "before"}}}
		err := json.Unmarshal([]byte(`{"name": "a", "status": "failed", "failure": `+raw+`}`), &app)
		if err != nil || app.Name != "a" || app.Failure != want {
			t.Errorf("%s: got %+v and error %v, want %+v", raw, app.Failure, err, want)
		}
	}
	var app App
	if err := json.Unmarshal([]byte(`{"name": "a", "status": "failed"}`), &app); err != nil || app.Failure != (AppFailure{}) {
		t.Errorf("an app without a failure: got %+v and error %v, want none", app.Failure, err)
	}
}

func TestEnginesShapes(t *testing.T) {
	for raw, want := range map[string]Engines{
		`{"postgres": {"memory_mb": 512, "port": 5432, "status": "running"}}`: {"postgres": {MemoryMB: 512, Port: 5432}},
		`{"postgres": true, "apps": false, "auth": null}`:                     {"postgres": {}},
		`["postgres", "auth"]`:                              {"postgres": {}, "auth": {}},
		`{"auth": {"site_url": "", "redirect_urls": null}}`: {"auth": {SiteURL: Some("")}},
		`{}`: {},
		`[]`: {},
	} {
		var got Engines
		if err := json.Unmarshal([]byte(raw), &got); err != nil {
			t.Errorf("%s: %v", raw, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
	for _, raw := range []string{`7`, `"postgres"`, `{"postgres": 7}`, `[1]`} {
		if err := json.Unmarshal([]byte(raw), &Engines{}); err == nil {
			t.Errorf("%s: got it read, want an error", raw)
		}
	}
}

func TestAbsentIsNotEmpty(t *testing.T) {
	var i Instance
	must.Do(t, json.Unmarshal([]byte(`{"id": "i", "tags": null, "unheard_of": 1, "job_id": null}`), &i))
	if i.Tags.Set || i.Allowlist.Set || i.Engines.Set || i.ConsoleMode.Set || i.JobID != "" || !i.CreatedAt.IsZero() {
		t.Errorf("instance: got %+v, want every absent field unset", i)
	}
}

// Informative fields may have any type: they are dropped, and the record is still read.
func TestCosmeticFields(t *testing.T) {
	others := []string{`null`, `7`, `99.5`, `true`, `""`, `"text"`, `[]`, `[1]`, `{}`, `{"a": [1]}`, `1735689600`}
	for _, other := range others {
		var job Job
		raw := `{"id": "j", "status": "running", "progress": ` + other + `, "error": ` + other + `, "created_at": ` + other + `, "finished_at": ` + other + `}`
		if err := json.Unmarshal([]byte(raw), &job); err != nil || job.ID != "j" || job.Status != "running" {
			t.Errorf("%s: got %+v and error %v, want the job j running", raw, job, err)
		}
		var i Instance
		raw = `{"id": "i", "status": "running", "usage": ` + other + `, "monitoring": ` + other + `, "backups": ` + other + `, "activity": ` + other + `, "created_at": ` + other + `}`
		if err := json.Unmarshal([]byte(raw), &i); err != nil || i.ID != "i" || i.Status != "running" || !i.CreatedAt.IsZero() {
			t.Errorf("%s: got %+v and error %v, want the instance i running without a time", raw, i, err)
		}
		raw = `{"id": "i", "usage": {"cpu_percent": ` + other + `}, "monitoring": {"checked_at": ` + other + `}, "backups": {"last_at": ` + other + `}, "activity": [{"at": ` + other + `, "type": "rotate"}, ` + other + `]}`
		i = Instance{}
		if err := json.Unmarshal([]byte(raw), &i); err != nil || i.ID != "i" || len(i.Activity) == 0 || i.Activity[0].Type != "rotate" {
			t.Errorf("%s: got %+v and error %v, want the instance i with a rotation", raw, i, err)
		}
		var build Build
		raw = `{"id": "b", "status": "failed", "error": ` + other + `, "created_at": ` + other + `, "finished_at": ` + other + `}`
		if err := json.Unmarshal([]byte(raw), &build); err != nil || !build.Failed() {
			t.Errorf("%s: got %+v and error %v, want a failed build", raw, build, err)
		}
		var app App
		raw = `{"name": "a", "status": "running", "created_at": ` + other + `}`
		if err := json.Unmarshal([]byte(raw), &app); err != nil || app.Name != "a" {
			t.Errorf("%s: got %+v and error %v, want the app a", raw, app, err)
		}
	}
}

// A number that only informs may be of any type, and the rest of its record is still read.
func TestCosmeticNumbers(t *testing.T) {
	for _, other := range []string{`null`, `true`, `""`, `"text"`, `[]`, `{}`, `{"a": [1]}`, `1e999`} {
		for name, read := range map[string]func() (any, error){
			"a webhook endpoint": func() (any, error) { return readAs[Webhook](`{"consecutive_failures": ` + other + `}`) },
			"a backup":           func() (any, error) { return readAs[Backup](`{"size_bytes": ` + other + `}`) },
			"a subscription":     func() (any, error) { return readAs[Subscription](`{"price_cents": ` + other + `}`) },
			"a charge":           func() (any, error) { return readAs[Charge](`{"amount_cents": ` + other + `}`) },
			"a plan": func() (any, error) {
				return readAs[Plan](`{"cpu": ` + other + `, "disk_gb": ` + other + `, "postgres_connections": ` + other + `}`)
			},
			"a kind of engine": func() (any, error) { return readAs[EngineKind](`{"port": ` + other + `}`) },
			"an engine":        func() (any, error) { return readAs[Engine](`{"port": ` + other + `}`) },
			"the usage": func() (any, error) {
				return readAs[Usage](`{"cpu_percent": ` + other + `, "memory_mb": ` + other + `, "disk_gb": ` + other + `}`)
			},
		} {
			if got, err := read(); err != nil || !reflect.ValueOf(got).IsZero() {
				t.Errorf("%s with %s: got %+v and error %v, want a record without the number", name, other, got, err)
			}
		}
	}
	for _, raw := range []string{`{"price_cents": "text"}`, `{"memory_mb": true}`} {
		if got, err := readAs[Plan](raw); err == nil {
			t.Errorf("a plan %s: got %+v, want an error: the number decides", raw, got)
		}
	}
}

func readAs[T any](raw string) (T, error) {
	var record T
	err := json.Unmarshal([]byte(raw), &record)
	return record, err
}

func TestInformalValues(t *testing.T) {
	for raw, want := range map[string]Job{
		`{"progress": 99.5}`:                                     {Progress: Informal[int]{Value: 99}},
		`{"progress": 40}`:                                       {Progress: Informal[int]{Value: 40}},
		`{"progress": "40"}`:                                     {Progress: Informal[int]{Value: 40}},
		`{"error": "no capacity"}`:                               {Error: JobFault{Detail: "no capacity"}},
		`{"error": {"code": "c", "detail": "d"}}`:                {Error: JobFault{Code: "c", Detail: "d"}},
		`{"error": {"code": 7, "detail": "d"}}`:                  {Error: JobFault{Detail: "d"}},
		`{"error": null}`:                                        {},
		`{"created_at": "2026-01-02T03:04:05+01:00"}`:            {CreatedAt: Time{time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC)}},
		`{"created_at": "yesterday", "finished_at": 1735689600}`: {},
	} {
		var got Job
		if err := json.Unmarshal([]byte(raw), &got); err != nil {
			t.Errorf("%s: %v", raw, err)
		} else if got.Progress != want.Progress || got.Error != want.Error || !got.CreatedAt.Equal(want.CreatedAt.Time) || got.CreatedAt.Location() != time.UTC && !got.CreatedAt.IsZero() || !got.FinishedAt.IsZero() {
			t.Errorf("%s: got %+v, want %+v", raw, got, want)
		}
	}
}

// Required fields are not dropped: an id with a different type is an error.
func TestNeededFieldsAreNotDropped(t *testing.T) {
	for raw, into := range map[string]any{
		`{"id": 7}`: &Instance{}, `{"id": "i", "status": 7}`: &Instance{}, `{"id": "j", "status": {}}`: &Job{}, `{"name": []}`: &App{},
		`{"id": "i", "tags": "a"}`: &Instance{}, `{"id": "i", "allowlist": {}}`: &Instance{},
	} {
		if err := json.Unmarshal([]byte(raw), into); err == nil {
			t.Errorf("%s: got it read as %+v, want an error", raw, into)
		}
	}
}

// A time outside the range of RFC 3339 in UTC is dropped: it could not be written, and
// that must not fail a refresh.
func TestTimeShapes(t *testing.T) {
	for raw, want := range map[string]string{
		`"2026-01-02T03:04:05+01:00"`: "2026-01-02T02:04:05Z",
		`"2026-01-02T03:04:05.678Z"`:  "2026-01-02T03:04:05Z",
		`"0000-01-01T00:00:00Z"`:      "0000-01-01T00:00:00Z",
		`"9999-12-31T23:59:59Z"`:      "9999-12-31T23:59:59Z",
		`"9999-12-31T23:59:59-01:00"`: "", // the year 10000 in UTC
		`"0000-01-01T00:00:00+01:00"`: "", // the year before 0
		`"2026-01-02 03:04:05"`:       "", `"yesterday"`: "", `""`: "", `1700000000`: "", `null`: "", `{}`: "", `[]`: "", `true`: "",
	} {
		var at Time
		if err := json.Unmarshal([]byte(raw), &at); err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		got := ""
		if !at.IsZero() {
			got = at.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

// Each status is read in upper or lower case.
func TestWordsInAnyCase(t *testing.T) {
	for raw, holds := range map[string]func([]byte) bool{
		`"DONE"`:     func(raw []byte) bool { j, err := read[Job](raw); return err == nil && j.Done() && !j.Failed() },
		`"Canceled"`: func(raw []byte) bool { j, err := read[Job](raw); return err == nil && j.Failed() && !j.Done() },
		`"Deployed"`: func(raw []byte) bool { b, err := read[Build](raw); return err == nil && b.Succeeded() && !b.Failed() },
		`"FAILURE"`:  func(raw []byte) bool { b, err := read[Build](raw); return err == nil && b.Failed() && !b.Succeeded() },
		`"Running"`: func(raw []byte) bool {
			i, err := read[Instance](raw)
			a, err2 := read[App](raw)
			return err == nil && err2 == nil && i.Status == StatusRunning && a.Status == AppRunning
		},
		`"CREATING"`: func(raw []byte) bool {
			c, err := read[createdAnswer](raw)
			return err == nil && c.Status == StatusCreating
		},
		`"Active"`: func(raw []byte) bool { s, err := read[Subscription](raw); return err == nil && s.Status == "active" },
		`null`:     func(raw []byte) bool { j, err := read[Job](raw); return err == nil && j.Status == "" },
		`7`:        func(raw []byte) bool { _, err := read[Job](raw); return err != nil },
	} {
		if !holds([]byte(`{"id": "x", "status": ` + raw + `}`)) {
			t.Errorf("the status %s is not read as it is meant", raw)
		}
	}
}

func read[T any](raw []byte) (T, error) {
	var value T
	err := json.Unmarshal(raw, &value)
	return value, err
}

func TestModes(t *testing.T) {
	for raw, want := range map[string]Mode{`"OFF"`: ConsoleOff, `"Rw"`: ConsoleReadWrite, `"ro"`: ConsoleReadOnly, `"Audit"`: "Audit", `""`: ""} {
		var got Mode
		if err := json.Unmarshal([]byte(raw), &got); err != nil || got != want {
			t.Errorf("%s: got %q and error %v, want %q", raw, got, err, want)
		}
	}
}
