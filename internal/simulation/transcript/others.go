package transcript

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The calls about objects that are not in a state.

func (r *recorder) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	resp, err := r.Server.ReadDataSource(ctx, req)
	if err == nil {
		schema := r.schemas().DataSourceSchemas[req.TypeName]
		r.tell("read", "data."+req.TypeName, []Value{valueOf("config", schema, req.Config)}, []Value{valueOf("state", schema, resp.State)}, resp.Diagnostics)
	}
	return resp, err
}

func (r *recorder) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	resp, err := r.Server.OpenEphemeralResource(ctx, req)
	if err == nil {
		schema := r.schemas().EphemeralResourceSchemas[req.TypeName]
		r.tell("open", "ephemeral."+req.TypeName, []Value{valueOf("config", schema, req.Config)}, nil, resp.Diagnostics, when(!resp.RenewAt.IsZero(), "to be renewed"))
	}
	return resp, err
}

func (r *recorder) RenewEphemeralResource(ctx context.Context, req *tfprotov6.RenewEphemeralResourceRequest) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	resp, err := r.Server.RenewEphemeralResource(ctx, req)
	if err == nil {
		r.tell("renew", "ephemeral."+req.TypeName, nil, nil, resp.Diagnostics)
	}
	return resp, err
}

func (r *recorder) CloseEphemeralResource(ctx context.Context, req *tfprotov6.CloseEphemeralResourceRequest) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	resp, err := r.Server.CloseEphemeralResource(ctx, req)
	if err == nil {
		r.tell("close", "ephemeral."+req.TypeName, nil, nil, resp.Diagnostics)
	}
	return resp, err
}

func (r *recorder) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	resp, err := r.Server.ListResource(ctx, req)
	if err == nil {
		r.tell("list", "list."+req.TypeName, []Value{valueOf("config", r.schemas().ListResourceSchemas[req.TypeName], req.Config)}, nil, nil, when(req.IncludeResource, "with the resources"))
	}
	return resp, err
}

func (r *recorder) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	resp, err := r.Server.PlanAction(ctx, req)
	if err == nil {
		r.tell("plan", "action."+req.ActionType, []Value{r.action(req.ActionType, req.Config)}, nil, resp.Diagnostics)
	}
	return resp, err
}

func (r *recorder) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	resp, err := r.Server.InvokeAction(ctx, req)
	if err == nil {
		r.tell("invoke", "action."+req.ActionType, []Value{r.action(req.ActionType, req.Config)}, nil, nil)
	}
	return resp, err
}

func (r *recorder) action(kind string, config *tfprotov6.DynamicValue) Value {
	schema := r.schemas().ActionSchemas[kind]
	if schema == nil {
		return Value{Name: "config"}
	}
	return valueOf("config", schema.Schema, config)
}
