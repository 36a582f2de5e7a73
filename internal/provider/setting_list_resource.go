package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A settingListResource lists a setting of each instance that has it.
type settingListResource[M, S any, P settingModel[M, S]] struct {
	settingResource[M, S, P]
	engine string       // engine that has the setting, "" if every instance has it
	isSet  func(S) bool // reports whether a setting has a value; nil if it always has
}

func (r *settingListResource[M, S, P]) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	var filter instanceIDFilter
	diags := req.Config.Get(ctx, &filter)
	var settings []child[S]
	if requireClient(r.client, &diags) && !diags.HasError() {
		settings = childrenOf(ctx, r.client, filter, r.engine, r.what, req.Limit, r.settings, &diags)
	}
	resp.Results = listResults(settings, req.Limit, diags, func(setting child[S]) list.ListResult {
		id := setting.instanceID
		return newListResult(ctx, req, r.what+" of "+setting.label, settingIdentity{InstanceID: types.StringValue(id)}, path.Root("instance_id"), id,
			func(m *M, _ *diag.Diagnostics) { P(m).setRecord(setting.record) })
	})
}

// settings returns the setting of an instance, or nothing if it has no value.
func (r *settingListResource[M, S, P]) settings(ctx context.Context, instanceID string) ([]S, error) {
	setting, err := r.refreshed(ctx, instanceID)
	if err != nil || r.isSet != nil && !r.isSet(setting) {
		return nil, err
	}
	return []S{setting}, nil
}
