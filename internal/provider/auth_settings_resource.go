package provider

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
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
)

func newAuthSettingsResource() resource.Resource { return &authSettingsResource{} }

type authSettingsResource struct{ resourceBase }

type authSettingsModel struct {
	InstanceID   types.String   `tfsdk:"instance_id"`
	SiteURL      types.String   `tfsdk:"site_url"`
	RedirectURLs types.Set      `tfsdk:"redirect_urls"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`
}

func (r *authSettingsResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_auth_settings"
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
				Validators:          []validator.Set{setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
				MarkdownDescription: "URLs that redirects may go to, for example the app's URL followed by `/**`. Default: none. Changed in place.",
			},
			"timeouts": settingTimeouts(ctx),
		},
	}
}

func (r *authSettingsResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = settingIdentitySchema()
}

func (r *authSettingsResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan authSettingsModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := r.put(ctx, &plan, timeout, &resp.Diagnostics); err != nil {
		addError(&resp.Diagnostics, "Unable to set the auth settings of instance "+plan.InstanceID.ValueString(), err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, settingIdentity{InstanceID: plan.InstanceID})...)
}

func (r *authSettingsResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state authSettingsModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, settingIdentity{InstanceID: state.InstanceID})...)
	if r.client == nil {
		return
	}
	id := state.InstanceID.ValueString()
	settings, err := r.settings(ctx, id)
	switch {
	case errors.Is(err, client.ErrNotFound):
		removeGone(ctx, &resp.State, &resp.Diagnostics, "The auth engine of instance "+id)
		return
	case err != nil:
		addError(&resp.Diagnostics, "Unable to read the auth settings of instance "+id, err)
		return
	}
	state.setRecord(settings)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// settings reads the settings, from the instance's record where it holds both.
func (r *authSettingsResource) settings(ctx context.Context, id string) (client.AuthSettings, error) {
	instance, err := r.client.RefreshInstance(ctx, id)
	if err != nil {
		return client.AuthSettings{}, err
	}
	if auth := instance.Engines.Value["auth"]; auth.SiteURL.Set && auth.RedirectURLs.Set {
		return client.AuthSettings{SiteURL: auth.SiteURL, RedirectURLs: auth.RedirectURLs}, nil
	}
	return r.client.AuthSettings(ctx, id)
}

func (r *authSettingsResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan authSettingsModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Update(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := r.put(ctx, &plan, timeout, &resp.Diagnostics); err != nil {
		addError(&resp.Diagnostics, "Unable to change the auth settings of instance "+plan.InstanceID.ValueString(), err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *authSettingsResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state authSettingsModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := state.InstanceID.ValueString()
	err := r.set(ctx, id, timeout, client.OpAuthSettings, func(ctx context.Context, turn *client.Turn) (client.Pending, error) {
		return turn.SetAuthSettings(ctx, "", nil)
	})
	if err != nil && !errors.Is(err, client.ErrNotFound) {
		addError(&resp.Diagnostics, "Unable to empty the auth settings of instance "+id, err)
	}
}

// put sends what the model says and reads back what is then in force.
func (r *authSettingsResource) put(ctx context.Context, m *authSettingsModel, timeout time.Duration, diags *diag.Diagnostics) error {
	id, siteURL, redirects := m.InstanceID.ValueString(), m.SiteURL.ValueString(), stringsOf(ctx, m.RedirectURLs, diags)
	err := r.set(ctx, id, timeout, client.OpAuthSettings, func(ctx context.Context, turn *client.Turn) (client.Pending, error) {
		return turn.SetAuthSettings(ctx, siteURL, redirects)
	})
	if err != nil {
		return err
	}
	settings, err := readBack(ctx,
		func(ctx context.Context) (client.AuthSettings, error) { return r.client.AuthSettings(ctx, id) },
		func(s client.AuthSettings) bool {
			slices.Sort(s.RedirectURLs.Value)
			return client.SameURL(s.SiteURL.Value, siteURL) && slices.Equal(s.RedirectURLs.Value, redirects)
		})
	if err != nil {
		return err
	}
	m.setRecord(settings)
	return nil
}

func (r *authSettingsResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	importSetting(ctx, req, resp)
}

// setRecord takes over what the service tells. A site URL that differs only in
// the case of its host keeps its spelling.
func (m *authSettingsModel) setRecord(s client.AuthSettings) {
	if s.SiteURL.Set && !client.SameURL(s.SiteURL.Value, m.SiteURL.ValueString()) {
		m.SiteURL = types.StringValue(s.SiteURL.Value)
	}
	if s.RedirectURLs.Set {
		m.RedirectURLs = setOf(s.RedirectURLs.Value, m.RedirectURLs)
	}
}
