package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/probe"
)

const key = "key-of-the-probe"

// start serves a fake with very short jobs. The probe violates the document on purpose, so
// exchanges are not checked against it.
func start(t *testing.T) (*hostingtest.Service, settings) {
	t.Helper()
	fake := hostingtest.New(hostingtest.WithAPIKey(key), hostingtest.WithSpeed(1e4))
	t.Cleanup(func() { _ = fake.Close() })
	return fake, settings{baseURL: fake.BaseURL, key: key}
}

func TestRun(t *testing.T) {
	t.Parallel()
	fake, environment := start(t)
	var out, errs bytes.Buffer
	if code := run(t.Context(), nil, environment, nil, &out, &errs); code != exitHolds {
		t.Errorf("the exit code: got %d, want %d\n%s%s", code, exitHolds, &out, &errs)
	}
	if !strings.Contains(out.String(), " 0 differ") || strings.Contains(out.String(), "\ndiffers") || errs.Len() > 0 {
		t.Errorf("the output: got\n%s\nand\n%s\nwant no difference", &out, &errs)
	}
	for _, r := range fake.Requests() {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			t.Errorf("requests: got %s %s, want only GET and HEAD", r.Method, r.Path)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if code := run(t.Context(), nil, settings{}, []string{"--version"}, &out, &out); code != exitHolds || out.String() != "probe dev\n" {
		t.Errorf("--version: got %q and exit code %d, want \"probe dev\" and %d", out.String(), code, exitHolds)
	}
}

func TestRunThatCreates(t *testing.T) {
	t.Parallel()
	fake, environment := start(t)
	// The probe sends requests during the creation, which ends when its job is first read.
	release := fake.HoldJobs(hostingtest.JobMatch{Operation: "create"})
	fake.Inject(hostingtest.Fault{Method: http.MethodGet, Path: "/jobs/*", After: release})
	fake.Inject(hostingtest.Fault{Method: http.MethodGet, Path: "/instances/*/backups", Times: -1, Rewrite: func(body map[string]any) {
		body["snapshots"] = body["backups"]
		delete(body, "backups")
	}})
	var out, errs bytes.Buffer
	if code := run(t.Context(), nil, environment, []string{"--create", "--json", "--poll", "5ms"}, &out, &errs); code != exitDiffers {
		t.Errorf("the exit code: got %d, want %d\n%s", code, exitDiffers, &errs)
	}
	var report probe.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if (f.Verdict == probe.Differs) != (f.Name == "Backups.backups") {
			t.Errorf("%s: got %s %q, want a difference only of Backups.backups", f.Name, f.Verdict, f.Details)
		}
	}
	if first, _, _ := strings.Cut(errs.String(), "\n"); !strings.HasPrefix(first, "i-") {
		t.Errorf("the first line: got %q, want the instance's id", first)
	}
	if n := len(fake.Instances()); n != 0 {
		t.Errorf("instances that are left: got %d, want none", n)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	_, environment := start(t)
	for _, row := range []struct {
		args []string
		key  string
		code int
	}{
		{[]string{"--help"}, key, exitHolds},
		{[]string{"more"}, key, exitUsage},
		{[]string{"--nonsense"}, key, exitUsage},
		{[]string{"--paid"}, key, exitUsage},
		{[]string{"--create", "--poll", "0s"}, key, exitUsage},
		{nil, "", exitUsage},
		{nil, "another", exitFailed},
		{[]string{"--base-url", "http://hosting.example/api/v1"}, key, exitFailed},
		{[]string{"--create", "--plan", "small"}, key, exitFailed},
	} {
		var out, errs bytes.Buffer
		environment.key = row.key
		if code := run(t.Context(), nil, environment, row.args, &out, &errs); code != row.code {
			t.Errorf("%q: got exit code %d, want %d\n%s", row.args, code, row.code, &errs)
		}
		if strings.Contains(out.String()+errs.String(), key) {
			t.Errorf("%q: got the key in the output, want it hidden", row.args)
		}
	}
}
