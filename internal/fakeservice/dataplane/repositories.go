package dataplane

import (
	"context"
	"errors"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// Repositories returns the repositories of apps.
func (p *Plane) Repositories() []string { return p.apps.Repositories() }

// Inspect reports how a branch would be built.
func (p *Plane) Inspect(ctx context.Context, repo, branch string) (_ core.Inspection, err error) {
	defer rescue.Error(p.log, "inspect a repository", &err)
	found, err := p.apps.Inspect(ctx, repo, branch)
	if unread := (*appruntime.BranchError)(nil); errors.As(err, &unread) {
		err = &core.Failure{Code: "branch_unreadable", Detail: unread.Error()}
	}
	return core.Inspection(found), err
}
