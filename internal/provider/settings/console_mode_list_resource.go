package settings

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
)

var _ list.ListResourceWithConfigure = &consoleModeListResource{}

// NewConsoleModeListResource returns the list resource hosting_console_mode.
func NewConsoleModeListResource() list.ListResource {
	r := &consoleModeListResource{}
	r.settingResource = newConsoleModeSetting()
	return r
}

type consoleModeListResource struct {
	settingListResource[consoleModeModel, string, *consoleModeModel]
}

func (r *consoleModeListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the SQL console's mode of one instance, or of all with the `postgres` engine. Use it to import the modes, and to find open consoles.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Optional: true, MarkdownDescription: "Only the console of this instance. Default: all."},
		},
	}
}
