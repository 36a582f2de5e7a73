package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var (
	_ resource.ResourceWithConfigure   = &postgresExtensionResource{}
	_ resource.ResourceWithImportState = &postgresExtensionResource{}
	_ resource.ResourceWithIdentity    = &postgresExtensionResource{}
	_ resource.ResourceWithModifyPlan  = &postgresExtensionResource{}
)

// NewExtensionResource returns the resource hosting_postgres_extension.
func NewExtensionResource() resource.Resource { return &postgresExtensionResource{} }

type postgresExtensionResource struct{ base.Resource }

type postgresExtensionModel struct {
	InstanceID types.String   `tfsdk:"instance_id"`
	Database   types.String   `tfsdk:"database"`
	Name       types.String   `tfsdk:"name"`
	Version    types.String   `tfsdk:"version"`
	Timeouts   timeouts.Value `tfsdk:"timeouts"`
}

type postgresExtensionIdentity struct {
	InstanceID types.String `tfsdk:"instance_id"`
	Database   types.String `tfsdk:"database"`
	Name       types.String `tfsdk:"name"`
}

func (m postgresExtensionModel) identity() postgresExtensionIdentity {
	return postgresExtensionIdentity{InstanceID: m.InstanceID, Database: m.Database, Name: m.Name}
}

func (r *postgresExtensionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_postgres_extension"
}

func (r *postgresExtensionResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	name := base.ReplacingName("`pgvector`, `pg_trgm`, `pgcrypto`, or another one that the service offers. A change replaces the extension.")
	name.Validators = []validator.String{attributes.NotEmpty()}
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "A Postgres extension in one database of an instance. Create one where SQL needs it, such as `pgvector`. " +
			"**Dropping an extension drops what depends on it**: columns of its types with their data, indexes and functions. The plan warns.",
		Attributes: map[string]schema.Attribute{
			"instance_id": base.InstanceIDAttribute("the extension is dropped from the former instance"),
			"database": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Validators:          []validator.String{attributes.NotEmpty()},
				MarkdownDescription: "Database. Default: the instance's own database. A change replaces the extension; if you remove it, the current database is kept.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"name": name,
			"version": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Installed version.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"timeouts": attributes.ResourceTimeouts(ctx, timeouts.Opts{
				Create: true, CreateDescription: "How long to wait for the extension to be added. Default `20m`.",
				Delete: true, DeleteDescription: "How long to wait for the removal. Default `20m`.",
			}),
		},
	}
}

func (r *postgresExtensionResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"instance_id": identityschema.StringAttribute{RequiredForImport: true, Description: "The instance's id."},
			"database":    identityschema.StringAttribute{RequiredForImport: true, Description: "The database's name."},
			"name":        identityschema.StringAttribute{RequiredForImport: true, Description: "The extension's name."},
		},
	}
}

// ModifyPlan warns of the objects that are lost if the plan drops the extension. It
// cannot warn of a replacement by -replace: Terraform's first call looks like a plan
// without a change, and the CLI does not show the warnings of the second.
func (r *postgresExtensionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.CheckPlannedAccount(ctx, req, resp)
	defer r.DropRepeatedWarnings(!req.State.Raw.IsNull(), &resp.Diagnostics)
	state, plan, ok := base.Planning[postgresExtensionModel](ctx, req, &resp.Diagnostics)
	switch {
	case !ok:
		return
	case plan == nil:
		state.warnOfLoss(&resp.Diagnostics, path.Root("name"))
		return
	case state != nil:
		replacement := r.PlanReplacement(req, resp, "extension "+state.Name.ValueString(), state.InstanceID, plan.replacing(*state)...)
		if !replacement.Replaces() {
			return
		}
		state.warnOfLoss(&resp.Diagnostics, replacement.Path())
	}
	if !plan.Name.IsUnknown() && (state == nil || !plan.Name.Equal(state.Name)) {
		attributes.WarnOfWord(&resp.Diagnostics, path.Root("name"), "extension", plan.Name.ValueString(), "pgvector", "pg_trgm", "pgcrypto")
	}
	r.CheckEngineOn("postgres", "extension", plan.InstanceID, &resp.Diagnostics)
}

// absent describes the extension as an object that was not found.
func (m postgresExtensionModel) absent() base.AbsentObject {
	return base.AbsentObject{
		What:       fmt.Sprintf("Extension %s in database %s", m.Name.ValueString(), m.Database.ValueString()),
		InstanceID: m.InstanceID.ValueString(),
	}
}

// object identifies the extension by its instance, its database and its name.
func (m *postgresExtensionModel) object() base.NamedObject {
	return base.NamedObject{What: "extension " + m.Name.ValueString() + " in database " + m.Database.ValueString(), InstanceID: m.InstanceID.ValueString()}
}

// replacing returns the arguments whose change replaces the extension of a state.
func (m postgresExtensionModel) replacing(state postgresExtensionModel) []base.ReplacingArgument {
	return []base.ReplacingArgument{
		{Name: "instance_id", State: state.InstanceID, Plan: m.InstanceID},
		{Name: "database", State: state.Database, Plan: m.Database},
		{Name: "name", State: state.Name, Plan: m.Name},
	}
}

// warnOfLoss warns of everything that is dropped with the extension.
func (m postgresExtensionModel) warnOfLoss(diags *diag.Diagnostics, at path.Path) {
	name, database := m.Name.ValueString(), m.Database.ValueString()
	diags.AddAttributeWarning(at, "Everything that uses an extension will be lost",
		fmt.Sprintf("The plan drops extension %s from database %s of instance %s. Postgres also drops everything that depends on it: "+
			"columns of its types with their data, and indexes and functions that use it.", name, database, m.InstanceID.ValueString()))
}

func (r *postgresExtensionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx = r.BeginApply(ctx, "create")
	var plan postgresExtensionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, base.SettingTimeout)
	resp.Diagnostics.Append(diags...)
	if !r.MayCreate(ctx, &resp.Diagnostics) {
		return
	}
	name, existed := plan.Name.ValueString(), false
	err := base.InTurn(ctx, r.Client, plan.InstanceID.ValueString(), timeout, func(ctx context.Context, turn *client.Turn) error {
		if plan.Database.IsUnknown() {
			// The name is read before the request, because the steps below need it.
			own, err := ownDatabase(ctx, r.Client, turn)
			if err != nil {
				return err
			}
			plan.Database = types.StringValue(own)
		}
		_, err := r.find(ctx, plan)
		existed = err == nil && !r.Planned.IsDropped(plan.object().Managed())
		err = turn.Do(ctx, client.OpExtensionSet, func(ctx context.Context) (client.Pending, error) {
			return turn.SetExtension(ctx, plan.Database.ValueString(), name)
		})
		if err == nil {
			r.Planned.HasMade(plan.object().Managed())
		}
		return err
	})
	database := plan.Database.ValueString()
	switch {
	case err != nil && plan.Database.IsUnknown():
		diagnostics.AddClientError(&resp.Diagnostics, fmt.Sprintf("Unable to create extension %s in instance %s's own database", name, plan.InstanceID.ValueString()), err)
		return
	case err != nil:
		diagnostics.AddClientError(&resp.Diagnostics, fmt.Sprintf("Unable to create extension %s in database %s", name, database), err)
		return
	}
	extension, err := client.ReadBack(ctx, r.Client, func(ctx context.Context) (client.Extension, error) { return r.find(ctx, plan) }, client.AnyRecord)
	if err != nil {
		resp.Diagnostics.AddWarning(fmt.Sprintf("Extension %s in database %s was created, but could not be read", name, database),
			diagnostics.Explain(err)+"\n\nThe extension is in the state. The next apply reads its version.")
	}
	if existed {
		resp.Diagnostics.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Extension %s existed already", name),
			fmt.Sprintf("Database %s of instance %s had it before, so this apply changed nothing. From now on this resource manages it, and destroying the resource drops it.",
				database, plan.InstanceID.ValueString()))
	}
	plan.setRecord(extension)
	r.NoteCreated(ctx, resp.Private, &resp.Diagnostics)
	r.SetResult(ctx, base.Creating(req, resp), plan)
	r.SetIdentity(ctx, resp.Identity, plan.identity(), &resp.Diagnostics)
}

// find looks for the extension in the instance's list.
func (r *postgresExtensionResource) find(ctx context.Context, m postgresExtensionModel) (client.Extension, error) {
	// Read the extensions of all databases: the service's error for a database that no
	// longer exists does not say so.
	extensions, err := r.Client.Extensions(ctx, m.InstanceID.ValueString())
	if extension, found := client.FindExtension(extensions, m.Database.ValueString(), m.Name.ValueString()); found {
		return extension, nil
	}
	if err != nil {
		return client.Extension{}, err
	}
	return client.Extension{}, fmt.Errorf("extension %s in database %s: %w", m.Name.ValueString(), m.Database.ValueString(), client.ErrNotFound)
}

// setRecord copies the version from an entry of the list of extensions.
func (m *postgresExtensionModel) setRecord(e client.Extension) {
	m.Version = attributes.StringOrNull(e.Version)
}

func (r *postgresExtensionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state postgresExtensionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.SetIdentity(ctx, resp.Identity, state.identity(), &resp.Diagnostics)
	if r.Client == nil {
		return
	}
	extension, err := r.record(ctx, state)
	switch {
	case errors.Is(err, client.ErrNotFound):
		r.RemoveGone(ctx, req.Private, &resp.State, state.absent(), &resp.Diagnostics)
		return
	case err != nil:
		r.Service.AddReadError(&resp.Diagnostics, "Unable to read extension "+state.Name.ValueString(), err)
		return
	}
	r.FoundByRead(ctx, resp.Private, &resp.Diagnostics)
	state.setRecord(extension)
	r.SetState(ctx, &resp.State, state, &resp.Diagnostics)
}

// record reads the extension for a refresh.
func (r *postgresExtensionResource) record(ctx context.Context, m postgresExtensionModel) (client.Extension, error) {
	r.Client.StartReadingAccountID(ctx)
	return r.Client.RefreshExtension(ctx, m.InstanceID.ValueString(), m.Database.ValueString(), m.Name.ValueString())
}

// Update sends no request, because only the timeouts can change in place.
func (r *postgresExtensionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx = r.BeginApply(ctx, "update")
	base.IdentityOfState(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var plan, state postgresExtensionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !base.KeepsObject("extension "+state.Name.ValueString(), &resp.Diagnostics, plan.replacing(state)...) || !r.MayChange(ctx, req.Private, &resp.Diagnostics) {
		return
	}
	r.SetResult(ctx, base.Updating(req, resp), plan)
}

func (r *postgresExtensionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.BeginApply(ctx, "delete")
	var state postgresExtensionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, base.SettingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() ||
		!r.MayDelete(ctx, resp.Private, state.absent(), r.LooksAtInstance(state.InstanceID.ValueString()), &resp.Diagnostics) {
		return
	}
	database, name := state.Database.ValueString(), state.Name.ValueString()
	err := base.InTurn(ctx, r.Client, state.InstanceID.ValueString(), timeout, func(ctx context.Context, turn *client.Turn) error {
		if r.Planned.IsMadeAnew(state.object().Managed()) {
			return nil
		}
		err := turn.Do(ctx, client.OpExtensionDrop, func(ctx context.Context) (client.Pending, error) {
			return turn.DropExtension(ctx, database, name)
		})
		if err == nil {
			r.Planned.HasDropped(state.object().Managed())
		}
		return err
	})
	if err != nil {
		r.AddDeletionError(ctx, state.InstanceID.ValueString(), fmt.Sprintf("Unable to drop extension %s from database %s", name, database), err, &resp.Diagnostics)
	}
}

func (r *postgresExtensionResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, ok := r.ImportNamed(ctx, req, resp, base.ImportID{What: "the instance's id, the database's name and the extension's name", Sample: "i-4f2a/orders/pgvector", Names: []string{"instance_id", "database", "name"}})
	if !ok || !r.RequireInstance(ctx, "instance_id", id[0], &resp.Diagnostics) {
		return
	}
	if _, err := r.Client.RefreshExtension(ctx, id[0], id[1], id[2]); errors.Is(err, client.ErrNotFound) {
		resp.Diagnostics.AddError(base.NothingToImport, fmt.Sprintf("Instance %s has no extension %s in a database %s. %s", id[0], id[2], id[1], base.OtherName))
	}
}
