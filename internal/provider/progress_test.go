package provider

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/progress"
)

func TestProgressLine(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	end := now.Add(time.Minute)
	for name, row := range map[string]struct {
		instance string
		p        client.Progress
		want     progress.Line
	}{
		"a creation": {
			"shop", client.Progress{InstanceID: "i-1", Operation: client.OpCreate, JobID: "job-1", Status: "running", Percent: 40, EstimatedEnd: end},
			progress.Line{Type: "hosting_instance", Name: "shop", ID: "i-1", Operation: "create", JobID: "job-1", Status: "running", Percent: 40, EstimatedEnd: end},
		},
		"a restart of an engine": {
			"", client.Progress{InstanceID: "i-1", Operation: client.OpEngineRestart, Target: "engines/postgres", JobID: "job-1", Status: "queued"},
			progress.Line{Type: "hosting_instance", ID: "i-1", Operation: "engine_restart", JobID: "job-1", Status: "queued"},
		},
		"a setting": {
			"", client.Progress{InstanceID: "i-1", Operation: client.OpAllowlist, JobID: "job-1", Status: "done", Done: true},
			progress.Line{Type: "hosting_allowlist", ID: "i-1", Operation: "allowlist", JobID: "job-1", Status: "done", Percent: 100},
		},
		"a database": {
			"", client.Progress{InstanceID: "i-1", Operation: client.OpDatabaseCreate, Target: "postgres/databases/orders", JobID: "job-1", Status: "error", Failed: true, Percent: 30},
			progress.Line{Type: "hosting_postgres_database", Name: "orders", ID: "i-1/orders", Operation: "database_create", JobID: "job-1", Status: "failed", Percent: 30},
		},
		"a build": {
			"", client.Progress{InstanceID: "i-1", App: "web", Operation: client.OpBuild, BuildID: "b-1", Status: "successful", Done: true},
			progress.Line{Type: "hosting_app", Name: "web", ID: "i-1/web", Operation: "build", BuildID: "b-1", Status: "done", Percent: 100},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.want.Time = now
			if diff := cmp.Diff(row.want, progressLine(row.instance, row.p, now)); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
		})
	}
}

// A file that cannot be opened is a warning, and nothing is written.
func TestProgressFileThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	if file := openProgress(filepath.Join(t.TempDir(), "missing", "progress"), &diags); file != nil || diags.HasError() || diags.WarningsCount() != 1 {
		t.Errorf("got the file %v and %v, want a warning", file, diags)
	}
}

func TestProgressIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &log)
	report := reportProgress(nil)
	report(ctx, client.Progress{InstanceID: "i-1", Operation: client.OpResize, JobID: "job-1", Status: "running", Percent: 40})
	report(ctx, client.Progress{InstanceID: "i-1", App: "web", Operation: client.OpBuild, BuildID: "b-1", Status: "queued"})
	got, err := tflogtest.MultilineJSONDecode(&log)
	want := []map[string]any{
		{"@level": "info", "@module": "provider", "@message": "waiting for a job", "instance_id": "i-1", "operation": "resize", "job_id": "job-1", "status": "running", "progress": 40.0},
		{"@level": "info", "@module": "provider", "@message": "waiting for a build", "instance_id": "i-1", "operation": "build", "app": "web", "build_id": "b-1", "status": "queued"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, log (-want +got):\n%s", err, diff)
	}
}

// BenchmarkProgress compares the report of one state of a job, without and with a file,
// with the log entry that is written in any case:
//
//	go test ./internal/provider -run '^$' -bench Progress -benchmem
func BenchmarkProgress(b *testing.B) {
	file, err := progress.Open(filepath.Join(b.TempDir(), "progress"))
	if err != nil {
		b.Fatal(err)
	}
	state := client.Progress{InstanceID: "i-4f2a", JobID: "job-1", Operation: client.OpResize, Status: "running", Percent: 40}
	for _, one := range []struct {
		name   string
		report func(context.Context, client.Progress)
	}{
		{"log entry", logProgress},
		{"off", reportProgress(nil)},
		{"on", reportProgress(file)},
	} {
		b.Run(one.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				one.report(b.Context(), state)
			}
		})
	}
}
