package provider

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// listResults returns the results of a list request: one for each record, up to the
// request's limit. A limit of 0 means no limit. The first result has the warnings of
// diags, because Terraform does not read beyond its limit. The errors come last.
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

// newListResult returns a result with its identity. If the request includes the resource,
// the result has the whole resource, filled as Read fills it: a partial one would
// generate invalid configuration. key is set first, so that the rest of the model is
// typed nulls.
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

// newChildResult is newListResult for a named object on an instance.
func newChildResult[M, R any](ctx context.Context, req list.ListRequest, of child[R], name string, fill func(*M, *diag.Diagnostics)) list.ListResult {
	identity := childIdentity{InstanceID: types.StringValue(of.instanceID), Name: types.StringValue(name)}
	return newListResult(ctx, req, name+" on "+of.label, identity, path.Root("instance_id"), of.instanceID, fill)
}

// instanceIDFilter selects the objects on one instance.
type instanceIDFilter struct {
	InstanceID types.String `tfsdk:"instance_id"`
}

// A child is a record of an object on an instance.
type child[R any] struct {
	instanceID string
	label      string // name and id of the instance
	record     R
}

// childrenOf reads the objects on the filter's instance. Without one, it reads those on
// all running instances that have the engine; "" means any. It stops once there are more
// than limit objects, unless limit is 0. what is their name in an error.
func childrenOf[R any](ctx context.Context, c *client.Client, filter instanceIDFilter, engine, what string, limit int64, read func(context.Context, string) ([]R, error), diags *diag.Diagnostics) []child[R] {
	instances := []client.Instance{{ID: filter.InstanceID.ValueString()}}
	if filter.InstanceID.IsNull() {
		all, err := c.Instances(ctx)
		if err != nil {
			addError(diags, "Unable to list the instances", err)
			return nil
		}
		instances = slices.DeleteFunc(all, func(i client.Instance) bool {
			return engine != "" && i.Lacks(engine) || !runs(string(i.Status), i.Host != "")
		})
	} else if instance, err := c.Instance(ctx, instances[0].ID); err == nil {
		instances[0].Name = instance.Name // only for labels; read reports its errors
	}
	var children []child[R]
	for _, instance := range instances {
		records, err := read(ctx, instance.ID)
		if err != nil {
			addError(diags, "Unable to list the "+what+" of instance "+instance.ID, err)
			break
		}
		for _, record := range records {
			children = append(children, child[R]{instance.ID, labelOf(instance), record})
		}
		if limit > 0 && int64(len(children)) > limit {
			break
		}
	}
	return children
}

// labelOf returns the name of an instance in a query, with its id, because several
// instances may have the same name.
func labelOf(i client.Instance) string {
	if i.Name == "" {
		return i.ID
	}
	return i.Name + " (" + i.ID + ")"
}
