package provider

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// listResults are the results of a list request: one for each record, up to the
// request's limit, where 0 is none. Warnings among diags come with the first result,
// as Terraform reads none beyond its limit, and errors come last.
func listResults[R any](records []R, limit int64, diags diag.Diagnostics, result func(R) list.ListResult) iter.Seq[list.ListResult] {
	if limit > 0 && int64(len(records)) > limit {
		records = records[:limit]
		diags.AddWarning("The list is not whole",
			fmt.Sprintf("There is more than the %d results that the limit of the list block lets through. Without a limit of its own a list block has 100. "+
				"Raise limit, or import the rest by other list blocks.", limit))
	}
	return func(push func(list.ListResult) bool) {
		for n, record := range records {
			r := result(record)
			if n == 0 {
				r.Diagnostics.Append(diags.Warnings()...)
			}
			if !push(r) {
				return
			}
		}
		left := diags.Errors()
		if len(records) == 0 {
			left = diags
		}
		if len(left) > 0 {
			push(list.ListResult{Diagnostics: left})
		}
	}
}

// newListResult makes a result with its identity and, where it is asked for, the
// whole resource, filled as Read fills it: half-filled ones generate invalid
// configuration. key is set first, so that the rest of the model is typed nulls.
func newListResult[M any](ctx context.Context, req list.ListRequest, name string, identity any, key path.Path, id string, fill func(*M, *diag.Diagnostics)) list.ListResult {
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

// newChildResult is newListResult for something that has a name on its instance.
func newChildResult[M any](ctx context.Context, req list.ListRequest, instanceID, name string, fill func(*M, *diag.Diagnostics)) list.ListResult {
	identity := childIdentity{InstanceID: types.StringValue(instanceID), Name: types.StringValue(name)}
	return newListResult(ctx, req, fmt.Sprintf("%s on %s", name, instanceID), identity, path.Root("instance_id"), instanceID, fill)
}

// instanceIDFilter is the filter of what belongs to an instance.
type instanceIDFilter struct {
	InstanceID types.String `tfsdk:"instance_id"`
}

// A child is a record of something on an instance.
type child[R any] struct {
	instanceID string
	record     R
}

// childrenOf reads what the instances have that a filter leaves and that have an
// engine, "" for any. It ends once there is more than a limit, where 0 is none. what
// names it in an error.
func childrenOf[R any](ctx context.Context, c *client.Client, filter instanceIDFilter, engine, what string, limit int64, read func(context.Context, string) ([]R, error), diags *diag.Diagnostics) []child[R] {
	ids := []string{filter.InstanceID.ValueString()}
	if filter.InstanceID.IsNull() {
		instances, err := c.Instances(ctx)
		if err != nil {
			addError(diags, "Unable to list the instances", err)
			return nil
		}
		ids = nil
		for _, instance := range instances {
			if (engine == "" || !instance.Lacks(engine)) && runs(string(instance.Status), instance.Host != "") {
				ids = append(ids, instance.ID)
			}
		}
	}
	var children []child[R]
	for _, id := range ids {
		records, err := read(ctx, id)
		if err != nil {
			addError(diags, "Unable to list the "+what+" of instance "+id, err)
			break
		}
		for _, record := range records {
			children = append(children, child[R]{id, record})
		}
		if limit > 0 && int64(len(children)) > limit {
			break
		}
	}
	return children
}
