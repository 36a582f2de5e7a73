package lists

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
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// Results returns the results of a list request: one for each record, up to the
// request's limit. A limit of 0 means no limit. The first result has the warnings of
// diags, because Terraform does not read beyond its limit. The errors come last.
func Results[R any](records []R, limit int64, diags diag.Diagnostics, result func(R) list.ListResult) iter.Seq[list.ListResult] {
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

// NewResult returns a result with its identity. If the request includes the resource,
// the result has the whole resource, filled as Read fills it: a partial one would
// generate invalid configuration. key is set first, so that the rest of the model is
// typed nulls.
func NewResult[M any](ctx context.Context, req list.ListRequest, name string, identity any, key path.Path, id string, fill func(*M, *diag.Diagnostics)) list.ListResult {
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

// NewChildResult is NewResult for a named object on an instance.
func NewChildResult[M, R any](ctx context.Context, req list.ListRequest, of Child[R], name string, fill func(*M, *diag.Diagnostics)) list.ListResult {
	identity := base.ChildIdentity{InstanceID: types.StringValue(of.InstanceID), Name: types.StringValue(name)}
	return NewResult(ctx, req, name+" on "+of.Label, identity, path.Root("instance_id"), of.InstanceID, fill)
}

// InstanceFilter selects the objects on one instance.
type InstanceFilter struct {
	InstanceID types.String `tfsdk:"instance_id"`
}

// A Child is a record of an object on an instance.
type Child[R any] struct {
	InstanceID string
	Label      string // name and id of the instance
	Record     R
}

// ChildrenOf reads the objects on the filter's instance. Without one, it reads those on
// all running instances that have the engine; "" means any. It stops once there are more
// than limit objects, unless limit is 0. what is their name in an error.
func ChildrenOf[R any](ctx context.Context, c *client.Client, filter InstanceFilter, engine, what string, limit int64, read func(context.Context, string) ([]R, error), diags *diag.Diagnostics) []Child[R] {
	instances := []client.Instance{{ID: filter.InstanceID.ValueString()}}
	if filter.InstanceID.IsNull() {
		all, err := c.Instances(ctx)
		if err = diagnostics.LeftOut(err, diags); err != nil {
			diagnostics.AddClientError(diags, "Unable to list the instances", err)
			return nil
		}
		instances = slices.DeleteFunc(all, func(i client.Instance) bool {
			return engine != "" && i.Lacks(engine) || !base.Runs(string(i.Status), i.Host != "")
		})
	} else if instance, err := c.Instance(ctx, instances[0].ID); err == nil {
		instances[0].Name = instance.Name // only for labels; read reports its errors
	}
	var children []Child[R]
	for _, instance := range instances {
		records, err := read(ctx, instance.ID)
		if err = diagnostics.LeftOut(err, diags); err != nil {
			diagnostics.AddClientError(diags, "Unable to list the "+what+" of instance "+instance.ID, err)
			break
		}
		for _, record := range records {
			children = append(children, Child[R]{instance.ID, labelOf(instance), record})
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
	if i.Name.Value == "" {
		return i.ID
	}
	return i.Name.Value + " (" + i.ID + ")"
}
