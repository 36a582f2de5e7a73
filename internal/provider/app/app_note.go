package app

import (
	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

// A refreshedApp is what a refresh has found out about an app.
type refreshedApp struct {
	app    client.App
	builds []client.Build // newest first
	// moved reports whether the branch differs from the state's.
	moved bool
	// lacksSecrets reports whether the app lacks a secret variable that Terraform has sent.
	lacksSecrets bool
}

// noteAfterRead returns the note of unfinished work after a refresh. noted is the note
// before it. Only the next apply can find out what became of a requested change or redeploy.
func noteAfterRead(noted base.PendingWork, found refreshedApp) base.PendingWork {
	note := noted
	if firstBuildRuns(noted, found) {
		note = base.PendingWork{Unsure: noted.Unsure}
		if len(note.Unsure) > 0 && !noted.Creating {
			note.Job = noted.Job // which the next apply waits for
		}
	}
	if found.moved && !noted.Creating && !noted.Deploying && len(found.builds) > 0 && !found.builds[0].Succeeded() {
		// An apply that was killed may have changed the branch. If the plan has the same one,
		// only this note makes the next apply wait for the build, and build again if it failed.
		note.Deploying, note.Build = true, ""
	}
	if found.lacksSecrets {
		// The next apply sends all of them again.
		note.Unsure = attributes.Union(note.Unsure, []string{"env"})
	}
	return note
}

// firstBuildRuns reports whether the build that a creation or a change has left behind is
// deployed and runs.
func firstBuildRuns(noted base.PendingWork, found refreshedApp) bool {
	return noted.Unfinished() && noted.Noted == nil && found.app.Status == client.AppRunning && deployed(found.builds, noted.Build)
}
