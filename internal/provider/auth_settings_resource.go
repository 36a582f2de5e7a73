package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var (
	_ resource.ResourceWithConfigure   = &authSettingsResource{}
	_ resource.ResourceWithImportState = &authSettingsResource{}
	_ resource.ResourceWithIdentity    = &authSettingsResource{}
	_ resource.ResourceWithModifyPlan  = &authSettingsResource{}
)

func newAuthSettingsResource() resource.Resource {
	return &authSettingsResource{settingResource[authSettingsModel, *authSettingsModel]{
		name: "auth_settings", what: "auth settings", operation: client.OpAuthSettings,
	}}
}

type authSettingsResource struct {
	settingResource[authSettingsModel, *authSettingsModel]
}

type authSettingsModel struct {
	InstanceID   types.String   `tfsdk:"instance_id"`
	SiteURL      types.String   `tfsdk:"site_url"`
	RedirectURLs types.Set      `tfsdk:"redirect_urls"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`
}

func (r *authSettingsResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Where the auth engine's redirects may return to. An instance with the auth engine has one set of them; " +
			"destroying the resource empties both.",
		Attributes: map[string]schema.Attribute{
			"instance_id": instanceIDAttribute("the settings of the former instance are emptied"),
			"site_url": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{webURL{}},
				MarkdownDescription: "Public URL of the app, as the service returned it. Changed in place.",
			},
			"redirect_urls": schema.SetAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				Validators:          []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(notEmpty())},
				MarkdownDescription: "URLs that redirects may go to, for example the app's URL followed by `/**`. Default: none. Changed in place.",
			},
			"timeouts": settingTimeouts(ctx),
		},
	}
}

func (m *authSettingsModel) instance() types.String { return m.InstanceID }

func (m *authSettingsModel) timeouts() timeouts.Value { return m.Timeouts }

func (m *authSettingsModel) differsFrom(prior *authSettingsModel) bool {
	return !m.SiteURL.Equal(prior.SiteURL) || !m.RedirectURLs.Equal(prior.RedirectURLs)
}

func (m *authSettingsModel) send(ctx context.Context, turn *client.Turn) (client.Pending, error) {
	return turn.SetAuthSettings(ctx, m.SiteURL.ValueString(), sorted(elementsOf(m.RedirectURLs)))
}

// refresh reads the settings from the instance's record where it holds both.
func (m *authSettingsModel) refresh(ctx context.Context, c *client.Client) error {
	id := m.InstanceID.ValueString()
	instance, err := c.RefreshInstance(ctx, id)
	if err != nil {
		return err
	}
	auth := instance.Engines.Value["auth"]
	settings := client.AuthSettings{SiteURL: auth.SiteURL, RedirectURLs: auth.RedirectURLs}
	if !auth.SiteURL.Set || !auth.RedirectURLs.Set {
		if settings, err = c.RefreshAuthSettings(ctx, id); err != nil {
			return err
		}
	}
	m.setRecord(settings)
	return nil
}

func (m *authSettingsModel) readBack(ctx context.Context, c *client.Client) error {
	sent := sorted(elementsOf(m.RedirectURLs))
	settings, err := readBack(ctx,
		func(ctx context.Context) (client.AuthSettings, error) {
			return c.AuthSettings(ctx, m.InstanceID.ValueString())
		},
		func(s client.AuthSettings) bool {
			return client.SameURL(s.SiteURL.Value, m.SiteURL.ValueString()) && slices.Equal(sorted(respelled(s.RedirectURLs.Value, sent)), sent)
		})
	if err == nil {
		m.setRecord(settings)
	}
	return err
}

func (m *authSettingsModel) reset() bool {
	m.SiteURL, m.RedirectURLs = types.StringValue(""), types.SetNull(types.StringType)
	return true
}

// respelled is a list of URLs in the spelling of those that are known already,
// where they differ only in the case of their hosts.
func respelled(urls, known []string) []string {
	spelled := slices.Clone(urls)
	for n, url := range urls {
		if at := slices.IndexFunc(known, func(k string) bool { return client.SameURL(k, url) }); at >= 0 {
			spelled[n] = known[at]
		}
	}
	return spelled
}

// setRecord takes over what the service tells. URLs that differ only in the case
// of their hosts keep their spelling.
func (m *authSettingsModel) setRecord(s client.AuthSettings) {
	if s.SiteURL.Set && !client.SameURL(s.SiteURL.Value, m.SiteURL.ValueString()) {
		m.SiteURL = types.StringValue(s.SiteURL.Value)
	}
	if s.RedirectURLs.Set {
		m.RedirectURLs = setOf(respelled(s.RedirectURLs.Value, elementsOf(m.RedirectURLs)), m.RedirectURLs)
	}
}
