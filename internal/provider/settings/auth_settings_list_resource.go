package settings

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var _ list.ListResourceWithConfigure = &authSettingsListResource{}

// NewAuthSettingsListResource returns the list resource hosting_auth_settings.
func NewAuthSettingsListResource() list.ListResource {
	r := &authSettingsListResource{}
	r.settingResource = newAuthSettingsSetting()
	return r
}

type authSettingsListResource struct {
	settingListResource[authSettingsModel, client.AuthSettings, *authSettingsModel]
}

func (r *authSettingsListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the auth settings of one instance, or of all. Use it to import them. " +
			"Instances without a site URL are left out, because the resource requires one.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Optional: true, MarkdownDescription: "Only the settings of this instance. Default: all."},
		},
	}
}
