package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

var (
	_ resource.ResourceWithConfigure   = &accountProfileResource{}
	_ resource.ResourceWithImportState = &accountProfileResource{}
	_ resource.ResourceWithIdentity    = &accountProfileResource{}
	_ resource.ResourceWithModifyPlan  = &accountProfileResource{}
)

// NewProfileResource returns the resource hosting_account_profile.
func NewProfileResource() resource.Resource { return &accountProfileResource{} }

// An accountProfileResource manages the profile of the API key's account. Every account
// has a profile, so Create sets it and Delete leaves it unchanged.
type accountProfileResource struct{ base.Resource }

// profile has the fields of the profile, with the tags of client.Profile.
type profile struct {
	Name    types.String `tfsdk:"name"`
	Company types.String `tfsdk:"company"`
	Address types.String `tfsdk:"address"`
	VATID   types.String `tfsdk:"vat_id"`
}

type accountProfileModel struct {
	profile
	ID types.String `tfsdk:"id"`
}

type accountProfileIdentity struct {
	ID types.String `tfsdk:"id"`
}

func (r *accountProfileResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_account_profile"
}

func (r *accountProfileResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	const rest = " If unset, the current value is kept. Can be changed in place; `\"\"` clears it."
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "Name, company, address and VAT number printed on your receipts. Create it to manage the profile of the API key's account. An account has one profile. " +
			"Destroying leaves it unchanged.",
		Attributes: map[string]schema.Attribute{
			"id":      schema.StringAttribute{Computed: true, MarkdownDescription: "The account's identifier.", PlanModifiers: keep},
			"name":    schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Name." + rest, PlanModifiers: keep},
			"company": schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Company." + rest, PlanModifiers: keep},
			"address": schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Postal address." + rest, PlanModifiers: keep},
			"vat_id":  schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "VAT number." + rest, PlanModifiers: keep},
		},
	}
}

func (r *accountProfileResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "The account's identifier."},
	}}
}

// ModifyPlan compares the account.
func (r *accountProfileResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.CheckPlannedAccount(ctx, req, resp)
}

// record reads the account for a refresh.
func (r *accountProfileResource) record(ctx context.Context) (client.Account, error) {
	r.Client.StartReadingAccountID(ctx)
	return r.Client.Account(ctx)
}

func (r *accountProfileResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx = r.BeginApply(ctx, "create")
	var plan accountProfileModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !r.MayCreate(ctx, &resp.Diagnostics) {
		return
	}
	account, err := r.Client.Account(ctx)
	if err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to read the account", err)
		return
	}
	var wanted client.Profile
	attributes.Request(&plan.profile, &wanted, attributes.Names(&plan.profile))
	if change := client.Missing(wanted, account.Profile); !client.IsEmpty(change) {
		if account, err = r.Client.UpdateProfile(ctx, change); err != nil {
			diagnostics.AddClientError(&resp.Diagnostics, "Unable to set the account's profile", err)
			return
		}
	}
	r.NoteCreated(ctx, resp.Private, &resp.Diagnostics)
	plan.setRecord(account)
	if r.SetResult(ctx, base.CreatingSetting(req, resp), plan); resp.Diagnostics.HasError() {
		return
	}
	r.SetIdentity(ctx, resp.Identity, accountProfileIdentity{ID: plan.ID}, &resp.Diagnostics)
}

func (r *accountProfileResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state accountProfileModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.SetIdentity(ctx, resp.Identity, accountProfileIdentity{ID: state.ID}, &resp.Diagnostics)
	if r.Client == nil {
		return
	}
	account, err := r.record(ctx)
	if err != nil {
		r.Service.AddReadError(&resp.Diagnostics, "Unable to read the account", err)
		return
	}
	seen := r.seen(ctx, req.Private, state, &resp.Diagnostics)
	isSame := account.ID != "" && account.ID == seen.ID
	if !isSame && seen.DiffersFrom(base.AccountNote{ID: account.ID, Origin: r.Client.Origin()}) {
		r.Account.Report(r.Account.MismatchOf(seen, account.ID), false, &resp.Diagnostics)
		return
	}
	if isSame {
		r.FoundByRead(ctx, resp.Private, &resp.Diagnostics)
	} else { // each account has a profile, so it does not show which one this is
		r.NoteAccount(ctx, resp.Private, &resp.Diagnostics)
	}
	state.setRecord(account)
	r.SetState(ctx, &resp.State, state, &resp.Diagnostics)
}

// seen returns the note of where the profile was last seen. Its id is the id in the
// state, which is the account's, so it is known even in a state without notes. The state
// has none if the service returned none when the profile was created.
func (r *accountProfileResource) seen(ctx context.Context, private privatestate.Reader, state accountProfileModel, diags *diag.Diagnostics) base.AccountNote {
	note, _ := privatestate.Load[base.AccountNote](ctx, private, privatestate.AccountNoteKey, diags)
	if id := state.ID.ValueString(); id != "" {
		note.ID = id
	}
	return note
}

func (r *accountProfileResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx = r.BeginApply(ctx, "update")
	base.IdentityOfState(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var state, plan accountProfileModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.MayChange(ctx, req.Private, &resp.Diagnostics) {
		return
	}
	// Each account has a profile, so only a comparison shows whether this is the right
	// one.
	var other *base.OtherAccountError
	switch err := r.Account.Compare(ctx, r.seen(ctx, req.Private, state, &resp.Diagnostics)); {
	case errors.As(err, &other):
		r.Account.Report(other, true, &resp.Diagnostics)
		return
	case err != nil:
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to read the account", err)
		return
	}
	var change client.Profile
	attributes.Request(&plan.profile, &change, attributes.Changed(&state.profile, &plan.profile))
	account, err := r.Client.UpdateProfile(ctx, change)
	if err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to update the account's profile", err)
		return
	}
	plan.setRecord(account)
	r.SetResult(ctx, base.Updating(req, resp), plan)
}

// Delete leaves the profile unchanged: an account always has one, and receipts need it.
func (r *accountProfileResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.BeginApply(ctx, "delete")
	r.MayChange(ctx, req.Private, &resp.Diagnostics)
}

func (r *accountProfileResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, ok := r.ImportNamed(ctx, req, resp, base.ImportID{What: "the account's id", Sample: "acc-4f2a", Names: []string{"id"}})
	if !ok {
		return
	}
	if account, err := r.Client.Account(ctx); err == nil && account.ID != "" && account.ID != id[0] {
		resp.Diagnostics.AddAttributeError(path.Root("id"), base.NothingToImport,
			fmt.Sprintf("The API key acts as account %s, not as %s. Import its profile by the id %s, or use a key of the other account.", account.ID, id[0], account.ID))
	}
}

// setRecord copies an account's record into the model. An attribute that the record does
// not have keeps its value, and one that is empty in both stays as written, null or "". A
// known id is kept, because it is the identity.
func (m *accountProfileModel) setRecord(a client.Account) {
	if m.ID.IsNull() || m.ID.IsUnknown() {
		m.ID = types.StringValue(a.ID)
	}
	attributes.TakeRecord(&m.profile, &a.Profile)
}
