package base

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// WarnOfJob warns that a job is in progress on an instance: its record, and so a plan, does
// not show what the job changes. operation is that of the jobs to warn of, or "" for all. A
// record may still name a job that has ended, so the job is read.
func (b *Resource) WarnOfJob(ctx context.Context, instance client.Instance, operation string, diags *diag.Diagnostics) {
	if instance.JobID == "" {
		return
	}
	job, err := b.Client.Job(ctx, instance.JobID)
	if err != nil || job.Done() || job.Failed() || operation != "" && job.Operation != operation {
		return
	}
	diags.AddWarning("A job is changing an instance", fmt.Sprintf("Job %s (%s) is in progress on instance %s. An interrupted apply, another client or a person started it. "+
		"A plan that is made now does not show its changes. Plan again once the job has ended.", job.ID, job.Operation, instance.ID))
}
