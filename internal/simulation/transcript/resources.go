package transcript

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The calls about resources.

func (r *recorder) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	resp, err := r.Server.ValidateResourceConfig(ctx, req)
	if err == nil {
		capable := req.ClientCapabilities != nil && req.ClientCapabilities.WriteOnlyAttributesAllowed
		r.tell("validate", req.TypeName, []Value{r.resource("config", req.TypeName, req.Config)}, nil, resp.Diagnostics, when(!capable, "no write-only attributes"))
	}
	return resp, err
}

func (r *recorder) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	resp, err := r.Server.UpgradeResourceState(ctx, req)
	if err == nil {
		r.tell("upgrade", req.TypeName, nil, []Value{r.resource("state", req.TypeName, resp.UpgradedState)}, resp.Diagnostics)
	}
	return resp, err
}

func (r *recorder) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	resp, err := r.Server.UpgradeResourceIdentity(ctx, req)
	if err == nil {
		r.tell("upgrade identity", req.TypeName, nil, []Value{identityOf(resp.UpgradedIdentity)}, resp.Diagnostics)
	}
	return resp, err
}

func (r *recorder) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	resp, err := r.Server.ReadResource(ctx, req)
	if err == nil {
		r.tell("read", req.TypeName,
			[]Value{r.resource("state", req.TypeName, req.CurrentState), privateOf(req.Private), identityOf(req.CurrentIdentity)},
			[]Value{r.resource("state", req.TypeName, resp.NewState), privateOf(resp.Private), identityOf(resp.NewIdentity)},
			resp.Diagnostics, when(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed, mayDefer), when(resp.Deferred != nil, "deferred"))
	}
	return resp, err
}

func (r *recorder) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := r.Server.PlanResourceChange(ctx, req)
	if err == nil {
		replaces := make([]string, 0, len(resp.RequiresReplace))
		for _, path := range resp.RequiresReplace {
			replaces = append(replaces, pathText(path))
		}
		proposed := departures(r.decoded(req.TypeName, req.PriorState), r.decoded(req.TypeName, req.Config), r.decoded(req.TypeName, req.ProposedNewState))
		r.tell("plan", req.TypeName,
			[]Value{
				r.resource("prior", req.TypeName, req.PriorState), r.resource("config", req.TypeName, req.Config),
				privateOf(req.PriorPrivate), identityOf(req.PriorIdentity),
			},
			[]Value{r.resource("planned", req.TypeName, resp.PlannedState), privateOf(resp.PlannedPrivate), identityOf(resp.PlannedIdentity)},
			resp.Diagnostics, when(len(proposed) > 0, "proposed "+strings.Join(proposed, ", ")), when(len(replaces) > 0, "replaced for "+strings.Join(replaces, ", ")),
			when(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed, mayDefer), when(resp.Deferred != nil, "deferred"))
	}
	return resp, err
}

func (r *recorder) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp, err := r.Server.ApplyResourceChange(ctx, req)
	if err == nil {
		r.tell("apply", req.TypeName,
			[]Value{
				r.resource("prior", req.TypeName, req.PriorState), r.resource("planned", req.TypeName, req.PlannedState),
				r.resource("config", req.TypeName, req.Config), privateOf(req.PlannedPrivate), identityOf(req.PlannedIdentity),
			},
			[]Value{r.resource("state", req.TypeName, resp.NewState), privateOf(resp.Private), identityOf(resp.NewIdentity)}, resp.Diagnostics)
	}
	return resp, err
}

func (r *recorder) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	resp, err := r.Server.ImportResourceState(ctx, req)
	if err == nil {
		var returned []Value
		for _, one := range resp.ImportedResources {
			returned = append(returned, r.resource("state", one.TypeName, one.State), privateOf(one.Private), identityOf(one.Identity))
		}
		by := "by identity"
		if req.ID != "" {
			by = "by id"
		}
		r.tell("import", req.TypeName, []Value{identityOf(req.Identity)}, returned, resp.Diagnostics, by)
	}
	return resp, err
}

func (r *recorder) MoveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	resp, err := r.Server.MoveResourceState(ctx, req)
	if err == nil {
		r.tell("move", req.TargetTypeName, nil, []Value{r.resource("state", req.TargetTypeName, resp.TargetState)}, resp.Diagnostics, "from "+req.SourceTypeName)
	}
	return resp, err
}
