package webhookendpoint

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

var (
	_ resource.ResourceWithConfigure   = &webhookEndpointResource{}
	_ resource.ResourceWithImportState = &webhookEndpointResource{}
	_ resource.ResourceWithIdentity    = &webhookEndpointResource{}
	_ resource.ResourceWithModifyPlan  = &webhookEndpointResource{}
)

// NewResource returns the resource hosting_webhook_endpoint.
func NewResource() resource.Resource { return &webhookEndpointResource{} }

type webhookEndpointResource struct{ base.Resource }

// endpointSettings are the settings that the resource and the data source have, with the tags
// of client.WebhookSettings.
type endpointSettings struct {
	URL     types.String `tfsdk:"url"`
	Enabled types.Bool   `tfsdk:"enabled"`
}

type webhookEndpointModel struct {
	endpointSettings
	ID              types.String      `tfsdk:"id"`
	Secret          types.String      `tfsdk:"secret"`
	SecretWO        types.String      `tfsdk:"secret_wo"`
	SecretWOVersion types.Int64       `tfsdk:"secret_wo_version"`
	CreatedAt       timetypes.RFC3339 `tfsdk:"created_at"`
}

type webhookEndpointIdentity struct {
	ID types.String `tfsdk:"id"`
}

func (r *webhookEndpointResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_webhook_endpoint"
}

func (r *webhookEndpointResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "An `https` URL of yours to which the service posts every event of the account, signed with a secret. " +
			"Create one to react to events without polling. " +
			"The service disables an endpoint after 20 failed deliveries in a row; the next apply enables it again.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "The endpoint's identifier.", PlanModifiers: keep},
			"url": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{attributes.HTTPSURL()},
				PlanModifiers:       []planmodifier.String{attributes.HTTPSURL(), sameURL{}},
				MarkdownDescription: "URL that events are posted to, `https` only. Can be changed in place.",
			},
			"enabled": schema.BoolAttribute{
				Optional:            true,
				Computed:            true,
				Default:             booldefault.StaticBool(true),
				MarkdownDescription: "Whether events are delivered. Default `true`. Can be changed in place; enabling resets the count of failures.",
			},
			"secret": schema.StringAttribute{
				Optional:  true,
				Computed:  true,
				Sensitive: true,
				Validators: []validator.String{
					attributes.AtLeastLong(16),
					attributes.Trimmed(),
					attributes.OneOfTwo("secret", "secret_wo", stringvalidator.ConflictsWith(path.MatchRoot("secret_wo"))),
				},
				PlanModifiers: keep,
				MarkdownDescription: "Secret that signs deliveries, at least 16 characters, stored in the state. Default: a generated secret. Can be changed in place. " +
					"Null if you use `secret_wo`. Also null after an import, because the service does not return the secret.",
			},
			"secret_wo": schema.StringAttribute{
				Optional:  true,
				WriteOnly: true,
				Sensitive: true,
				Validators: []validator.String{
					attributes.AtLeastLong(16),
					attributes.Trimmed(),
					attributes.AlsoNeeds("secret_wo", "secret_wo_version", stringvalidator.AlsoRequires(path.MatchRoot("secret_wo_version"))),
				},
				MarkdownDescription: "Your own secret, at least 16 characters, kept out of the state. After you change it, change `secret_wo_version` to send it.",
			},
			"secret_wo_version": schema.Int64Attribute{
				Optional:            true,
				Validators:          []validator.Int64{attributes.AlsoNeeds("secret_wo_version", "secret_wo", int64validator.AlsoRequires(path.MatchRoot("secret_wo")))},
				MarkdownDescription: "Any number. If it changes, `secret_wo` is sent.",
			},
			"created_at": schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the endpoint was created, in RFC 3339.", PlanModifiers: keep},
		},
	}
}

func (r *webhookEndpointResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"id": identityschema.StringAttribute{RequiredForImport: true, Description: "The endpoint's identifier."},
		},
	}
}

// ModifyPlan warns of endpoints with the same URL, which an earlier apply may have
// created. It plans null for secret if secret_wo is set, and a new generated secret if the
// endpoint's is not known.
func (r *webhookEndpointResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.CheckPlannedAccount(ctx, req, resp)
	defer r.DropRepeatedWarnings(!req.State.Raw.IsNull(), &resp.Diagnostics)
	state, plan, ok := base.Planning[webhookEndpointModel](ctx, req, &resp.Diagnostics)
	if ok && state != nil && r.Client != nil {
		r.Client.Claim(state.ID.ValueString())
	}
	if !ok || plan == nil {
		return
	}
	if state == nil || !client.SameURL(plan.URL.ValueString(), state.URL.ValueString()) {
		r.checkNamesakes(ctx, *plan, &resp.Diagnostics)
	}
	var config webhookEndpointModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	unknown, _ := privatestate.Load[bool](ctx, req.Private, privatestate.UnknownSecretKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case !config.SecretWO.IsNull():
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("secret"), types.StringNull())...)
	case unknown && config.Secret.IsNull():
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("secret"), types.StringUnknown())...)
	}
}

// checkNamesakes warns of endpoints with the same URL before the plan creates another
// one. An apply that was killed leaves no trace of its endpoint in the state. The service
// allows several endpoints with the same URL, and each receives every event.
func (r *webhookEndpointResource) checkNamesakes(ctx context.Context, plan webhookEndpointModel, diags *diag.Diagnostics) {
	if r.Client == nil || plan.URL.IsUnknown() {
		return
	}
	ids, err := r.Client.WebhookNamesakes(ctx, plan.URL.ValueString())
	if err != nil {
		r.Service.WarnUnchecked(diags, "url", err)
		return
	}
	for _, id := range ids {
		diags.AddAttributeWarning(path.Root("url"), "Webhook endpoint "+id+" has the same URL",
			fmt.Sprintf("Endpoint %s already has this URL, and both would receive every event. "+
				"Ignore this warning if Terraform already manages it, here or elsewhere. "+
				"If an earlier apply was killed before it could save it, import it instead of creating another:\n\n%s\n"+
				"The service does not return its secret: set a new one if you need to know it.", id, diagnostics.ImportBlock("hosting_webhook_endpoint.NAME", id)))
	}
}

func (r *webhookEndpointResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx = r.BeginApply(ctx, "create")
	var plan webhookEndpointModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	secret := secretWO(ctx, req.Config, &resp.Diagnostics)
	if !r.MayCreate(ctx, &resp.Diagnostics) {
		return
	}
	generates := plan.Secret.IsUnknown()
	if secret == "" {
		if generates {
			plan.Secret = types.StringValue(newSecret())
		}
		secret = plan.Secret.ValueString()
	}
	wanted := client.WebhookSettings{Secret: client.Some(secret)}
	attributes.Request(&plan.endpointSettings, &wanted, attributes.Names(&plan.endpointSettings))
	webhook, err := r.Client.CreateWebhook(ctx, wanted)
	if err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to create webhook endpoint "+client.ShownURL(plan.URL.ValueString()), plan.sentFrom(err))
		return
	}
	if webhook.Adopted {
		resp.Diagnostics.AddWarning("Adopted existing webhook endpoint "+client.ShownURL(plan.URL.ValueString())+": the response to the create request was lost",
			diagnostics.AdoptedText("Endpoint "+webhook.ID)+" If so, its secret is not the one you configured.")
	}
	r.NoteCreated(ctx, resp.Private, &resp.Diagnostics)
	plan.setRecord(webhook)
	plan.setSecret(webhook, secret, generates, &resp.Diagnostics)
	r.SetResult(ctx, base.Creating(req, resp), plan)
	r.SetIdentity(ctx, resp.Identity, webhookEndpointIdentity{ID: plan.ID}, &resp.Diagnostics)
}

// newSecret generates a signing secret of 32 random bytes. The provider generates it, and
// not the service, so that the secret is known even if the response to the create request
// is lost.
func newSecret() string {
	var secret [32]byte
	rand.Read(secret[:]) // never fails
	return hex.EncodeToString(secret[:])
}

func secretWO(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) string {
	var secret types.String
	diags.Append(config.GetAttribute(ctx, path.Root("secret_wo"), &secret)...)
	return secret.ValueString()
}

func (r *webhookEndpointResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state webhookEndpointModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.SetIdentity(ctx, resp.Identity, webhookEndpointIdentity{ID: state.ID}, &resp.Diagnostics)
	if r.Client == nil {
		return
	}
	webhook, err := r.record(ctx, state)
	switch {
	case errors.Is(err, client.ErrNotFound):
		r.RemoveGone(ctx, req.Private, &resp.State, state.absent(), &resp.Diagnostics)
		return
	case err != nil:
		r.Service.AddReadError(&resp.Diagnostics, "Unable to read webhook endpoint "+state.ID.ValueString(), err)
		return
	}
	r.FoundByRead(ctx, resp.Private, &resp.Diagnostics)
	state.setRecord(webhook)
	r.SetState(ctx, &resp.State, state, &resp.Diagnostics)
}

// record reads the endpoint for a refresh.
func (r *webhookEndpointResource) record(ctx context.Context, m webhookEndpointModel) (client.Webhook, error) {
	r.Client.StartReadingAccountID(ctx)
	r.Client.Claim(m.ID.ValueString())
	return r.Client.RefreshWebhook(ctx, m.ID.ValueString())
}

func (r *webhookEndpointResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx = r.BeginApply(ctx, "update")
	base.IdentityOfState(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var state, plan webhookEndpointModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	secret := secretWO(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.MayChange(ctx, req.Private, &resp.Diagnostics) {
		return
	}
	generates := plan.Secret.IsUnknown()
	if generates {
		plan.Secret = types.StringValue(newSecret())
	}
	change := webhookEndpointDifference(state, plan, secret)
	webhook, err := r.Client.UpdateWebhook(ctx, plan.ID.ValueString(), change)
	if err != nil {
		if change.Secret.Set && !client.NothingDone(err) {
			// The endpoint may have either secret, so the next apply sends the configured one,
			// whichever it is.
			state.Secret, state.SecretWOVersion = types.StringNull(), types.Int64Null()
			privatestate.Save(ctx, resp.Private, privatestate.UnknownSecretKey, true, &resp.Diagnostics)
			r.SetState(ctx, &resp.State, state, &resp.Diagnostics)
		}
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to update webhook endpoint "+plan.ID.ValueString(), plan.sentFrom(err))
		return
	}
	if change.Secret.Set {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, privatestate.UnknownSecretKey, nil)...)
	}
	plan.setRecord(webhook)
	if change.Secret.Set {
		plan.setSecret(webhook, change.Secret.Value, generates, &resp.Diagnostics)
	}
	r.SetResult(ctx, base.Updating(req, resp), plan)
}

// webhookEndpointDifference returns the changes from an existing endpoint to the planned
// one. secret is the write-only secret of the configuration, or "" if it has none.
func webhookEndpointDifference(there, planned webhookEndpointModel, secret string) (change client.WebhookSettings) {
	attributes.Request(&planned.endpointSettings, &change, attributes.Changed(&there.endpointSettings, &planned.endpointSettings))
	switch {
	case secret != "" && !planned.SecretWOVersion.Equal(there.SecretWOVersion):
		change.Secret = client.Some(secret)
	case secret == "" && !planned.Secret.IsNull() && !planned.Secret.Equal(there.Secret):
		// A planned null means that the write-only secret was removed from the
		// configuration. The endpoint then keeps that secret.
		change.Secret = client.Some(planned.Secret.ValueString())
	}
	return change
}

func (r *webhookEndpointResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.BeginApply(ctx, "delete")
	var state webhookEndpointModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.MayDelete(ctx, resp.Private, state.absent(), func(ctx context.Context) error {
		_, err := r.Client.Webhook(ctx, state.ID.ValueString())
		return err
	}, &resp.Diagnostics) {
		return
	}
	if err := r.Client.DeleteWebhook(ctx, state.ID.ValueString()); err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to delete webhook endpoint "+state.ID.ValueString(), err)
	}
}

func (r *webhookEndpointResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, ok := r.ImportNamed(ctx, req, resp, base.ImportID{What: "the endpoint's id", Sample: "wh-4f2a", Names: []string{"id"}})
	if !ok {
		return
	}
	_, err := r.Client.RefreshWebhook(ctx, id[0])
	switch {
	case errors.Is(err, client.ErrNotFound):
		resp.Diagnostics.AddAttributeError(path.Root("id"), base.NothingToImport,
			fmt.Sprintf("The account has no webhook endpoint with the id %q. The data source hosting_webhook_endpoints lists them with their URLs.", id[0]))
	case err == nil:
		resp.Diagnostics.AddAttributeWarning(path.Root("secret"), "The secret of webhook endpoint "+id[0]+" is not known",
			"The service tells an endpoint's secret only when the endpoint is made. The endpoint keeps its secret, and signs with it as before, for as long as the configuration sets neither secret nor secret_wo.")
	}
}

// absent describes the endpoint as an object that was not found.
func (m *webhookEndpointModel) absent() base.AbsentObject {
	return base.AbsentObject{What: "Webhook endpoint " + m.ID.ValueString()}
}

// setRecord copies the service's record of an endpoint, except for a secret (setSecret).
func (m *webhookEndpointModel) setRecord(w client.Webhook) {
	attributes.SetRecorded(&m.ID, w.ID)
	url := m.URL
	attributes.TakeRecord(&m.endpointSettings, &w.WebhookSettings)
	if client.ShowsURL(w.URL.Value, url.ValueString()) {
		m.URL = url // in another form, or masked
	}
	attributes.SetRecorded(&m.CreatedAt.StringValue, attributes.TimeOrNull(w.CreatedAt).ValueString())
	if m.Secret.IsUnknown() {
		m.Secret = types.StringNull()
	}
}

// setSecret compares the secret of the service's answer with the one that was sent, and warns
// if they differ. A generated secret follows the answer. A configured one is kept.
func (m *webhookEndpointModel) setSecret(w client.Webhook, sent string, generated bool, diags *diag.Diagnostics) {
	switch {
	case !w.HasOtherSecret(sent):
	case generated:
		m.Secret = types.StringValue(w.Secret.Value)
		diags.AddAttributeWarning(path.Root("secret"), "The service returned another secret than the one that was generated",
			"The state has the secret that the service returned for webhook endpoint "+w.ID+". It is not shown here. "+
				"If your receiver refuses the signature of the next event, the returned one may only stand for the secret: set secret, and apply again.")
	default:
		at := m.secretArgument()
		diags.AddAttributeWarning(path.Root(at), "The service signs with another secret",
			"The service returned another "+at+" for webhook endpoint "+w.ID+" than the one that was sent, and seems to sign with that. The values are not shown here. "+
				"If your receiver refuses the signature of the next event, set another secret that the service does not change, and apply again.")
	}
}

// secretArgument returns the argument that the secret is sent from.
func (m *webhookEndpointModel) secretArgument() string {
	if m.Secret.IsNull() {
		return "secret_wo"
	}
	return "secret"
}

// sentFrom lets the refusal of a secret stand on its argument.
func (m *webhookEndpointModel) sentFrom(err error) error {
	return diagnostics.SentFrom(m.secretArgument(), "secret", err)
}

// sameURL plans no change if only the form of the URL differs.
type sameURL struct{}

func (sameURL) Description(context.Context) string {
	return "another form of the same URL is no change"
}

func (m sameURL) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (sameURL) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if !req.StateValue.IsNull() && !req.PlanValue.IsUnknown() && client.SameURL(req.StateValue.ValueString(), req.PlanValue.ValueString()) {
		resp.PlanValue = req.StateValue
	}
}
