package provider

import (
	"cmp"
	"context"
	"path"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/progress"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

// openProgress opens the file of progress.Variable, or returns nil if path is "". A file that
// cannot be opened is a warning, because an apply works without it.
func openProgress(path string, diags *diag.Diagnostics) *progress.File {
	if path == "" {
		return nil
	}
	file, err := progress.Open(path)
	if err != nil {
		diags.AddWarning("The progress of applies is not written",
			"The file of the environment variable "+progress.Variable+" cannot be opened: "+err.Error()+". Everything else works without it.")
	}
	return file
}

// reportProgress returns a client.Options.Progress that writes to the log and to a file,
// which may be nil.
func reportProgress(file *progress.File) func(context.Context, client.Progress) {
	if file == nil {
		return logProgress
	}
	return func(ctx context.Context, p client.Progress) {
		logProgress(ctx, p)
		file.Append(progressLine(base.InstanceNameOf(ctx), p, time.Now()))
	}
}

func logProgress(ctx context.Context, p client.Progress) {
	message := "waiting for a job"
	if p.Operation == client.OpBuild {
		message = "waiting for a build"
	}
	tflog.Info(ctx, message, progressFields(p))
}

// progressFields returns the fields of a log entry.
func progressFields(p client.Progress) map[string]any {
	fields := map[string]any{"instance_id": p.InstanceID, "operation": p.Operation, "status": p.Status}
	for name, value := range map[string]string{"job_id": p.JobID, "app": p.App, "build_id": p.BuildID} {
		if value != "" {
			fields[name] = value
		}
	}
	if p.Percent > 0 {
		fields["progress"] = p.Percent
	}
	return fields
}

// typesByOperation has the type of the resource that each operation changes.
var typesByOperation = map[string]string{
	client.OpAllowlist:      "hosting_allowlist",
	client.OpConsole:        "hosting_console_mode",
	client.OpAuthSettings:   "hosting_auth_settings",
	client.OpDatabaseCreate: "hosting_postgres_database",
	client.OpDatabaseDrop:   "hosting_postgres_database",
	client.OpExtensionSet:   "hosting_postgres_extension",
	client.OpExtensionDrop:  "hosting_postgres_extension",
	client.OpAppImport:      "hosting_app",
	client.OpAppUpdate:      "hosting_app",
	client.OpAppDelete:      "hosting_app",
	client.OpAppRedeploy:    "hosting_app",
	client.OpAppRestart:     "hosting_app",
	client.OpBuild:          "hosting_app",
}

// progressLine returns the line of a file for a job or build. instance is the name of the
// instance, or "" if the resource that waits is not an instance.
func progressLine(instance string, p client.Progress, now time.Time) progress.Line {
	line := progress.Line{
		Time: now.UTC(), Type: cmp.Or(typesByOperation[p.Operation], "hosting_instance"), Name: instance, ID: p.InstanceID,
		Operation: p.Operation, JobID: p.JobID, BuildID: p.BuildID,
		Status: p.Status, Percent: p.Percent, EstimatedEnd: p.EstimatedEnd, Log: p.LogLine,
	}
	switch {
	case p.App != "":
		line.Name = p.App
	case p.Target != "" && line.Type != "hosting_instance":
		line.Name = path.Base(p.Target)
	}
	// The id of an extension has the database too, which the job does not name.
	if line.Type == "hosting_app" || line.Type == "hosting_postgres_database" {
		line.ID += "/" + line.Name
	}
	switch {
	case p.Done:
		line.Status, line.Percent = progress.StatusDone, 100
	case p.Failed:
		line.Status = progress.StatusFailed
	}
	return line
}
