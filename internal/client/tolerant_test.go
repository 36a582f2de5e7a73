package client

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPendingShapes(t *testing.T) {
	for raw, want := range map[string]Pending{
		`{"job_id": "j-1"}`:                     {JobID: "j-1"},
		`{"job": {"id": "j-1", "status": "x"}}`: {JobID: "j-1"},
		`{"job": "j-1"}`:                        {JobID: "j-1"},
		`{"job_id": null, "job": "j-1"}`:        {JobID: "j-1"},
		`{"job_id": "j-1", "build_id": "b-1"}`:  {JobID: "j-1", BuildID: "b-1"},
		`{"job_id": "j-1", "build_id": null}`:   {JobID: "j-1"},
		`{}`:                                    {},
		`{"extra": {"deep": [1]}}`:              {},
	} {
		var got Pending
		if err := json.Unmarshal([]byte(raw), &got); err != nil || got != want {
			t.Errorf("%s is %+v, %v", raw, got, err)
		}
	}
	for _, raw := range []string{`[]`, `"j-1"`, `{"job_id": 7}`, `{"job": 7}`} {
		if err := json.Unmarshal([]byte(raw), &Pending{}); err == nil {
			t.Errorf("%s was read", raw)
		}
	}
}

func TestEnginesShapes(t *testing.T) {
	for raw, want := range map[string]Engines{
		`{"postgres": {"memory_mb": 512, "port": 5432, "status": "running"}}`: {"postgres": {MemoryMB: 512, Port: 5432}},
		`{"postgres": true, "apps": false, "auth": null}`:                     {"postgres": {}},
		`["postgres", "auth"]`:                              {"postgres": {}, "auth": {}},
		`{"auth": {"site_url": "", "redirect_urls": null}}`: {"auth": {SiteURL: Some(""), RedirectURLs: Some([]string(nil))}},
		`{}`: {},
		`[]`: {},
	} {
		var got Engines
		if err := json.Unmarshal([]byte(raw), &got); err != nil {
			t.Errorf("%s: %v", raw, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
	for _, raw := range []string{`7`, `"postgres"`, `{"postgres": 7}`, `[1]`} {
		if err := json.Unmarshal([]byte(raw), &Engines{}); err == nil {
			t.Errorf("%s was read", raw)
		}
	}
}

func TestAbsentIsNotEmpty(t *testing.T) {
	var i Instance
	if err := json.Unmarshal([]byte(`{"id": "i", "tags": null, "unheard_of": 1, "job_id": null}`), &i); err != nil {
		t.Fatal(err)
	}
	if !i.Tags.Set || i.Tags.Value != nil || i.Allowlist.Set || i.Engines.Set || i.ConsoleMode.Set || i.JobID != "" || !i.CreatedAt.IsZero() {
		t.Errorf("%+v", i)
	}
}

func TestListShapes(t *testing.T) {
	for raw, ok := range map[string]bool{
		`{"backups": [{"id": "b"}]}`:                      true,
		`[{"id": "b"}]`:                                   true,
		`{"backups": [{"id": "b"}], "next_cursor": null}`: true,
		`{"others": []}`:                                  false,
		`{"backups": 7}`:                                  false,
		`7`:                                               false,
	} {
		p, err := decodePage[Backup](json.RawMessage(raw), "backups")
		if (err == nil) != ok || ok && (len(p.items) != 1 || p.items[0].ID != "b" || p.next != "") {
			t.Errorf("%s is %+v, %v", raw, p, err)
		}
	}
}

func TestBuildWords(t *testing.T) {
	for status, want := range map[string][2]bool{
		"queued": {false, false}, "running": {false, false}, "": {false, false}, "pondering": {false, false},
		"successful": {true, false}, "success": {true, false}, "succeeded": {true, false}, "deployed": {true, false}, "SUCCESS": {true, false},
		"failed": {false, true}, "failure": {false, true}, "error": {false, true}, "cancelled": {false, true}, "canceled": {false, true},
	} {
		build := Build{Status: status}
		if got := [2]bool{build.Succeeded(), build.Failed()}; got != want {
			t.Errorf("%q: %v", status, got)
		}
	}
}

func TestSameURL(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"https://A.example/x", "https://a.example/x"}: true,
		{"HTTPS://a.example/x", "https://a.example/x"}: true,
		{"https://a.example/X", "https://a.example/x"}: false,
		{"https://a.example", "https://b.example"}:     false,
		{"://", "://"}:               true,
		{"://", "https://a.example"}: false,
	} {
		if got := SameURL(pair[0], pair[1]); got != want {
			t.Errorf("%v: %v", pair, got)
		}
	}
}
