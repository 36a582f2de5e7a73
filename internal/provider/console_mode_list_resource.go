package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
)

var _ list.ListResourceWithConfigure = &consoleModeListResource{}

func newConsoleModeListResource() list.ListResource {
	r := &consoleModeListResource{}
	r.settingResource, r.engine = newConsoleModeSetting(), "postgres"
	return r
}

type consoleModeListResource struct {
	settingListResource[consoleModeModel, string, *consoleModeModel]
}

func (r *consoleModeListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The mode of the SQL console of one instance, or of all that have the postgres engine.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Optional: true, MarkdownDescription: "Only the console of this instance. Default: all."},
		},
	}
}
