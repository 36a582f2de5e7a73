package settings

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var _ list.ListResourceWithConfigure = &allowlistListResource{}

// NewAllowlistListResource returns the list resource hosting_allowlist.
func NewAllowlistListResource() list.ListResource {
	r := &allowlistListResource{}
	r.settingResource = newAllowlistSetting()
	return r
}

type allowlistListResource struct {
	settingListResource[allowlistModel, client.Maybe[[]string], *allowlistModel]
}

func (r *allowlistListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the allowlist of one instance, or of all. " +
			"Use it to import allowlists, and to find instances that are open to the internet: their lists are empty, or have `0.0.0.0/0` or `::/0`.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Optional: true, MarkdownDescription: "Only the allowlist of this instance. Default: all."},
		},
	}
}
