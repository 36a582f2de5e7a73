package settings

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/lists"
)

// A settingListResource lists a setting of each instance that has it.
type settingListResource[M, S any, P settingModel[M, S]] struct {
	settingResource[M, S, P]
}

func (r *settingListResource[M, S, P]) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	var filter lists.InstanceFilter
	diags := req.Config.Get(ctx, &filter)
	var settings []lists.Child[S]
	if base.RequireClient(r.Client, &diags) && !diags.HasError() {
		settings = lists.ChildrenOf(ctx, r.Client, filter, r.engine, r.what, req.Limit, r.settings, &diags)
	}
	resp.Results = lists.Results(settings, req.Limit, diags, func(setting lists.Child[S]) list.ListResult {
		id := setting.InstanceID
		return lists.NewResult(ctx, req, r.what+" of "+setting.Label, settingIdentity{InstanceID: types.StringValue(id)}, path.Root("instance_id"), id,
			func(m *M, _ *diag.Diagnostics) { P(m).setRecord(setting.Record) })
	})
}

// settings returns the setting of an instance, or nothing if it has no value.
func (r *settingListResource[M, S, P]) settings(ctx context.Context, instanceID string) ([]S, error) {
	setting, _, err := r.refreshed(ctx, instanceID)
	if err != nil || r.isSet != nil && !r.isSet(setting) {
		return nil, err
	}
	return []S{setting}, nil
}
