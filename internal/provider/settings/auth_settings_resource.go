package settings

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

var (
	_ resource.ResourceWithConfigure   = &authSettingsResource{}
	_ resource.ResourceWithImportState = &authSettingsResource{}
	_ resource.ResourceWithIdentity    = &authSettingsResource{}
	_ resource.ResourceWithModifyPlan  = &authSettingsResource{}
)

// NewAuthSettingsResource returns the resource hosting_auth_settings.
func NewAuthSettingsResource() resource.Resource {
	return &authSettingsResource{newAuthSettingsSetting()}
}

func newAuthSettingsSetting() authSettingsSetting {
	return authSettingsSetting{name: "auth_settings", what: "auth settings", engine: "auth", service: settingService[client.AuthSettings]{
		operation: client.OpAuthSettings,
		send:      (*client.Turn).SetAuthSettings,
		recorded: func(i client.Instance) client.AuthSettings {
			auth := i.Engines.Value["auth"]
			return client.AuthSettings{SiteURL: auth.SiteURL, RedirectURLs: auth.RedirectURLs}
		},
		read:    (*client.Client).AuthSettings,
		refresh: (*client.Client).RefreshAuthSettings,
	}, isSet: func(s client.AuthSettings) bool { return s.SiteURL.Value != "" }, lost: (*authSettingsModel).lost}
}

type authSettingsSetting = settingResource[authSettingsModel, client.AuthSettings, *authSettingsModel]

type authSettingsResource struct{ authSettingsSetting }

type authSettingsModel struct {
	InstanceID   types.String   `tfsdk:"instance_id"`
	SiteURL      types.String   `tfsdk:"site_url"`
	RedirectURLs types.Set      `tfsdk:"redirect_urls"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`
}

func (r *authSettingsResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "Site URL and redirect URLs of an instance's `auth` engine. Create it for an app with sign-ins, once the app has its public URL. " +
			"An instance has one set of settings. Destroying clears both.",
		Attributes: map[string]schema.Attribute{
			"instance_id": base.InstanceIDAttribute("the settings of the former instance are cleared"),
			"site_url": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{attributes.AbsoluteURL()},
				PlanModifiers:       []planmodifier.String{attributes.AbsoluteURL()},
				MarkdownDescription: "URL that sign-ins return to, usually the app's `url`; for an app on a phone, a URL such as `myapp://login`. Can be changed in place.",
			},
			"redirect_urls": schema.SetAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				Validators:          []validator.Set{attributes.NoEmptyElement{What: "URL"}},
				MarkdownDescription: "URLs that a sign-in may redirect to. `/**` at the end matches everything below. Default: none. Can be changed in place.",
			},
			"timeouts": settingTimeouts(ctx),
		},
	}
}

func (m *authSettingsModel) instance() types.String { return m.InstanceID }

func (m *authSettingsModel) timeouts() timeouts.Value { return m.Timeouts }

func (m *authSettingsModel) differsFrom(prior *authSettingsModel) bool {
	change := m.setting(prior)
	return change.SiteURL.Set || change.RedirectURLs.Set
}

func (m *authSettingsModel) setting(prior *authSettingsModel) (s client.AuthSettings) {
	if prior == nil || !m.SiteURL.Equal(prior.SiteURL) {
		s.SiteURL = client.Some(m.SiteURL.ValueString())
	}
	if prior == nil || !m.RedirectURLs.Equal(prior.RedirectURLs) {
		s.RedirectURLs = client.Some(attributes.Sorted(attributes.ElementsOf(m.RedirectURLs)))
	}
	return s
}

func (m *authSettingsModel) matches(prior *authSettingsModel, s client.AuthSettings) bool {
	return s.Shows(m.setting(prior))
}

func (m *authSettingsModel) tells(s client.AuthSettings) bool {
	return s.SiteURL.Set && s.RedirectURLs.Set
}

func (m *authSettingsModel) lost(s client.AuthSettings) (lost []string) {
	if site := s.SiteURL.Value; site != "" && !client.SameURL(site, m.SiteURL.ValueString()) {
		lost = append(lost, site)
	}
	kept := attributes.ElementsOf(m.RedirectURLs)
	for _, url := range s.RedirectURLs.Value {
		if !slices.ContainsFunc(kept, func(k string) bool { return client.SameURL(k, url) }) {
			lost = append(lost, url)
		}
	}
	return lost
}

func (m *authSettingsModel) forget() {
	m.SiteURL, m.RedirectURLs = types.StringNull(), types.SetNull(types.StringType)
}

func (m *authSettingsModel) reset() bool {
	m.SiteURL, m.RedirectURLs = types.StringValue(""), types.SetNull(types.StringType)
	return true
}

// respelled returns URLs in the spelling of known ones that differ only in their form.
func respelled(urls, known []string) []string {
	spelled := slices.Clone(urls)
	for n, url := range urls {
		if at := slices.IndexFunc(known, func(k string) bool { return client.SameURL(k, url) }); at >= 0 {
			spelled[n] = known[at]
		}
	}
	return spelled
}

// setRecord copies the service's settings into the model. URLs that differ only in
// their form keep their spelling.
func (m *authSettingsModel) setRecord(s client.AuthSettings) {
	if s.SiteURL.Set && !client.SameURL(s.SiteURL.Value, m.SiteURL.ValueString()) {
		m.SiteURL = types.StringValue(s.SiteURL.Value)
	}
	if s.RedirectURLs.Set {
		m.RedirectURLs = attributes.SetOf(respelled(s.RedirectURLs.Value, attributes.ElementsOf(m.RedirectURLs)), m.RedirectURLs)
	}
}
