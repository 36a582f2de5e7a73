package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var (
	_ list.ListResourceWithConfigure = &instanceListResource{}
	_ list.ListResourceWithConfigure = &appListResource{}
	_ list.ListResourceWithConfigure = &databaseListResource{}
	_ list.ListResourceWithConfigure = &webhookEndpointListResource{}
)

// stream answers a list request with what produce pushes. push is false once
// enough was seen.
func stream(c *client.Client, resp *list.ListResultsStream, limit int64, produce func(push func(list.ListResult) bool) diag.Diagnostics) {
	var diags diag.Diagnostics
	if !requireClient(c, &diags) {
		resp.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	resp.Results = func(push func(list.ListResult) bool) {
		pushed, more := int64(0), true
		diags := produce(func(result list.ListResult) bool {
			more = more && (limit <= 0 || pushed < limit) && push(result)
			pushed++
			return more
		})
		if more && len(diags) > 0 {
			push(list.ListResult{Diagnostics: diags})
		}
	}
}

func listError(summary string, err error) diag.Diagnostics {
	var diags diag.Diagnostics
	addError(&diags, summary, err)
	return diags
}

// whole makes a result with its identity and, where it is asked for, the whole
// resource, filled as Read fills it: half-filled ones generate invalid
// configuration. key is set first, so that the rest of the model is typed nulls.
func whole[M any](ctx context.Context, req list.ListRequest, name string, identity any, key path.Path, id string, fill func(*M, *diag.Diagnostics)) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = name
	result.Diagnostics.Append(result.Identity.Set(ctx, identity)...)
	if !req.IncludeResource || result.Diagnostics.HasError() {
		return result
	}
	var model M
	result.Diagnostics.Append(result.Resource.SetAttribute(ctx, key, id)...)
	result.Diagnostics.Append(result.Resource.Get(ctx, &model)...)
	if result.Diagnostics.HasError() {
		return result
	}
	fill(&model, &result.Diagnostics)
	result.Diagnostics.Append(result.Resource.Set(ctx, &model)...)
	return result
}

func newInstanceListResource() list.ListResource { return &instanceListResource{} }

type instanceListResource struct{ instanceResource }

func (r *instanceListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	attributes := map[string]schema.Attribute{}
	for name, description := range instanceFilterDescriptions {
		attributes[name] = schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{MarkdownDescription: "The account's instances, all or some.", Attributes: attributes}
}

func (r *instanceListResource) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	var filter instanceFilter
	if diags := req.Config.Get(ctx, &filter); diags.HasError() {
		resp.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream(r.client, resp, req.Limit, func(push func(list.ListResult) bool) diag.Diagnostics {
		instances, err := r.client.Instances(ctx)
		if err != nil {
			return listError("Unable to list the instances", err)
		}
		var diags diag.Diagnostics
		if filter.check(ctx, r.client, instances, &diags); diags.HasError() {
			return diags
		}
		for _, instance := range instances {
			if !filter.matches(instance) {
				continue
			}
			result := whole(ctx, req, instance.Name, instanceIdentity{ID: types.StringValue(instance.ID)}, path.Root("id"), instance.ID,
				func(m *instanceModel, diags *diag.Diagnostics) {
					m.setRecord(instance)
					if m.needsConnection() {
						r.setConnection(ctx, m, diags)
					}
				})
			if !push(result) {
				break
			}
		}
		return diags
	})
}

// instanceIDFilter is the filter of what belongs to an instance.
type instanceIDFilter struct {
	InstanceID types.String `tfsdk:"instance_id"`
}

func instanceIDFilterSchema(what string) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The " + what + " of one instance, or of all.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Optional: true, MarkdownDescription: "Only the " + what + " of this instance. Default: all."},
		},
	}
}

// hosts are the instances that a filter leaves and that have an engine.
func hosts(ctx context.Context, c *client.Client, filter instanceIDFilter, engine string) ([]string, error) {
	if !filter.InstanceID.IsNull() {
		return []string{filter.InstanceID.ValueString()}, nil
	}
	instances, err := c.Instances(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, instance := range instances {
		if _, on := instance.Engines.Value[engine]; (on || !instance.Engines.Set) && runs(instance.Status, instance.Host != "") {
			ids = append(ids, instance.ID)
		}
	}
	return ids, nil
}

func newAppListResource() list.ListResource { return &appListResource{} }

type appListResource struct{ appResource }

func (r *appListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = instanceIDFilterSchema("apps")
}

func (r *appListResource) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	var filter instanceIDFilter
	if diags := req.Config.Get(ctx, &filter); diags.HasError() {
		resp.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream(r.client, resp, req.Limit, func(push func(list.ListResult) bool) diag.Diagnostics {
		ids, err := hosts(ctx, r.client, filter, "apps")
		if err != nil {
			return listError("Unable to list the instances", err)
		}
		for _, id := range ids {
			apps, err := r.client.Apps(ctx, id)
			if err != nil {
				return listError("Unable to list the apps of instance "+id, err)
			}
			for _, app := range apps {
				if !push(r.result(ctx, req, id, app)) {
					return nil
				}
			}
		}
		return nil
	})
}

func (r *appListResource) result(ctx context.Context, req list.ListRequest, instanceID string, app client.App) list.ListResult {
	identity := childIdentity{InstanceID: types.StringValue(instanceID), Name: types.StringValue(app.Name)}
	return whole(ctx, req, fmt.Sprintf("%s on %s", app.Name, instanceID), identity, path.Root("instance_id"), instanceID,
		func(m *appModel, diags *diag.Diagnostics) {
			m.Name = types.StringValue(app.Name)
			m.setRecord(app, nil, false)
			builds, err := r.client.Builds(ctx, instanceID, app.Name)
			if err != nil {
				addError(diags, "Unable to read the builds of app "+app.Name, err)
				return
			}
			m.setBuild(builds)
		})
}

func newDatabaseListResource() list.ListResource { return &databaseListResource{} }

type databaseListResource struct{ postgresDatabaseResource }

func (r *databaseListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = instanceIDFilterSchema("databases")
}

func (r *databaseListResource) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	var filter instanceIDFilter
	if diags := req.Config.Get(ctx, &filter); diags.HasError() {
		resp.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream(r.client, resp, req.Limit, func(push func(list.ListResult) bool) diag.Diagnostics {
		ids, err := hosts(ctx, r.client, filter, "postgres")
		if err != nil {
			return listError("Unable to list the instances", err)
		}
		for _, id := range ids {
			databases, err := r.client.Databases(ctx, id)
			if err != nil {
				return listError("Unable to list the databases of instance "+id, err)
			}
			for _, database := range databases {
				identity := childIdentity{InstanceID: types.StringValue(id), Name: types.StringValue(database.Name)}
				result := whole(ctx, req, fmt.Sprintf("%s on %s", database.Name, id), identity, path.Root("instance_id"), id,
					func(m *postgresDatabaseModel, _ *diag.Diagnostics) {
						m.Name = types.StringValue(database.Name)
						m.setRecord(database)
					})
				if !push(result) {
					return nil
				}
			}
		}
		return nil
	})
}

func newWebhookEndpointListResource() list.ListResource { return &webhookEndpointListResource{} }

type webhookEndpointListResource struct{ webhookEndpointResource }

// webhookEndpointFilter picks endpoints; what is null matches any.
type webhookEndpointFilter struct {
	Enabled types.Bool `tfsdk:"enabled"`
}

func (f webhookEndpointFilter) matches(w client.Webhook) bool {
	return f.Enabled.IsNull() || f.Enabled.ValueBool() == w.Enabled.Value
}

func (r *webhookEndpointListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The account's webhook endpoints, all or some.",
		Attributes: map[string]schema.Attribute{
			"enabled": schema.BoolAttribute{Optional: true, MarkdownDescription: "Only endpoints that are enabled, or disabled. Default: all."},
		},
	}
}

func (r *webhookEndpointListResource) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	var filter webhookEndpointFilter
	if diags := req.Config.Get(ctx, &filter); diags.HasError() {
		resp.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream(r.client, resp, req.Limit, func(push func(list.ListResult) bool) diag.Diagnostics {
		webhooks, err := r.client.Webhooks(ctx)
		if err != nil {
			return listError("Unable to list the webhook endpoints", err)
		}
		for _, webhook := range webhooks {
			if !filter.matches(webhook) {
				continue
			}
			result := whole(ctx, req, webhook.URL, webhookEndpointIdentity{ID: types.StringValue(webhook.ID)}, path.Root("id"), webhook.ID,
				func(m *webhookEndpointModel, _ *diag.Diagnostics) { m.setRecord(webhook) })
			if !push(result) {
				break
			}
		}
		return nil
	})
}
