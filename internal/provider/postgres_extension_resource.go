package provider

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
)

var (
	_ resource.ResourceWithConfigure   = &postgresExtensionResource{}
	_ resource.ResourceWithImportState = &postgresExtensionResource{}
	_ resource.ResourceWithIdentity    = &postgresExtensionResource{}
	_ resource.ResourceWithModifyPlan  = &postgresExtensionResource{}
)

func newPostgresExtensionResource() resource.Resource { return &postgresExtensionResource{} }

type postgresExtensionResource struct{ resourceBase }

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
	name := replacingName("`pgvector`, `pg_trgm` or `pgcrypto`. A change replaces the extension.")
	name.Validators = []validator.String{oneOf("extension", "pgvector", "pg_trgm", "pgcrypto")}
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "A Postgres extension in one database of an instance. Create one where SQL needs `pgvector`, `pg_trgm` or `pgcrypto`. " +
			"**Dropping an extension drops what depends on it**: columns of its types with their data, indexes and functions. The plan warns.",
		Attributes: map[string]schema.Attribute{
			"instance_id": instanceIDAttribute("the extension is dropped from the former instance"),
			"database": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Validators:          []validator.String{notEmpty()},
				MarkdownDescription: "Database. Default: the instance's own database. A change replaces the extension; if you remove it, the current database is kept.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown(), stringplanmodifier.RequiresReplaceIfConfigured()},
			},
			"name": name,
			"version": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Installed version.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"timeouts": resourceTimeouts(ctx, timeouts.Opts{
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
	defer r.checkPlannedAccount(ctx, req, resp)
	defer r.withoutRepeats(!req.State.Raw.IsNull(), &resp.Diagnostics)
	state, plan, ok := planning[postgresExtensionModel](ctx, req, &resp.Diagnostics)
	if ok {
		r.planNamed(ctx, req, resp, state.object(), plan.object())
	}
	switch {
	case !ok:
		return
	case plan == nil:
		state.warnOfLoss(&resp.Diagnostics, path.Root("name"))
		return
	case state != nil:
		at, replaced := replacedExtensionAt(*state, *plan)
		if !replaced {
			return
		}
		state.warnOfLoss(&resp.Diagnostics, at)
	}
	r.checkEngineOn("postgres", "extension", plan.InstanceID, &resp.Diagnostics)
}

// absent describes the extension as an object that was not found.
func (m postgresExtensionModel) absent() absentObject {
	return absentObject{
		what:       fmt.Sprintf("Extension %s in database %s", m.Name.ValueString(), m.Database.ValueString()),
		instanceID: m.InstanceID.ValueString(),
	}
}

// object identifies the extension, whichever resource manages it. It is zero while the
// instance's id, the database or the name is unknown.
func (m *postgresExtensionModel) object() namedObject {
	if m == nil || m.InstanceID.IsUnknown() || m.Database.IsUnknown() || m.Name.IsUnknown() {
		return namedObject{}
	}
	return namedObject{"extension", "extension " + m.Name.ValueString() + " in database " + m.Database.ValueString(), m.InstanceID.ValueString()}
}

// replacedExtensionAt returns the argument whose change replaces the extension.
func replacedExtensionAt(state, plan postgresExtensionModel) (path.Path, bool) {
	switch {
	case !state.InstanceID.Equal(plan.InstanceID):
		return path.Root("instance_id"), true
	case !state.Database.Equal(plan.Database):
		return path.Root("database"), true
	case !state.Name.Equal(plan.Name):
		return path.Root("name"), true
	}
	return path.Empty(), false
}

// warnOfLoss warns of everything that is dropped with the extension.
func (m postgresExtensionModel) warnOfLoss(diags *diag.Diagnostics, at path.Path) {
	name, database := m.Name.ValueString(), m.Database.ValueString()
	diags.AddAttributeWarning(at, "Everything that uses an extension will be lost",
		fmt.Sprintf("The plan drops extension %s from database %s of instance %s. Postgres also drops everything that depends on it: "+
			"columns of its types with their data, and indexes and functions that use it.", name, database, m.InstanceID.ValueString()))
}

func (r *postgresExtensionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx = r.applying(ctx, "create")
	var plan postgresExtensionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	if !r.mayCreate(ctx, &resp.Diagnostics) {
		return
	}
	name, makes := plan.Name.ValueString(), false
	err := inTurn(ctx, r.client, plan.InstanceID.ValueString(), timeout, func(ctx context.Context, turn *client.Turn) error {
		if plan.Database.IsUnknown() {
			// The name is read before the request, because the steps below need it.
			own, err := ownDatabase(ctx, turn)
			if err != nil {
				return err
			}
			plan.Database = types.StringValue(own)
		}
		if makes = r.makesNamed(plan.object(), &resp.Diagnostics); !makes {
			return nil
		}
		err := turn.Do(ctx, client.OpExtensionSet, func(ctx context.Context) (client.Pending, error) {
			return turn.SetExtension(ctx, plan.Database.ValueString(), name)
		})
		if err == nil {
			r.planned.hasMade(plan.object().managed())
		}
		return err
	})
	database := plan.Database.ValueString()
	switch {
	case err == nil && resp.Diagnostics.HasError():
		return // another resource has created it
	case err != nil && plan.Database.IsUnknown():
		addError(&resp.Diagnostics, fmt.Sprintf("Unable to create extension %s in instance %s's own database", name, plan.InstanceID.ValueString()), err)
		return
	case err != nil:
		if makes {
			r.planned.failsToMake(plan.object().managed())
		}
		addError(&resp.Diagnostics, fmt.Sprintf("Unable to create extension %s in database %s", name, database), err)
		return
	}
	extension, err := readBack(ctx, func(ctx context.Context) (client.Extension, error) { return r.find(ctx, plan) }, anything)
	if err != nil {
		resp.Diagnostics.AddWarning(fmt.Sprintf("Extension %s in database %s was created, but could not be read", name, database),
			explain(err)+"\n\nThe extension is in the state. The next apply reads its version.")
	}
	plan.setRecord(extension)
	r.noteCreated(ctx, resp.Private, &resp.Diagnostics)
	r.setResult(ctx, creating(req, resp), plan)
	r.setIdentity(ctx, resp.Identity, plan.identity(), &resp.Diagnostics)
}

// ownDatabase returns the name of an instance's own database.
func ownDatabase(ctx context.Context, turn *client.Turn) (string, error) {
	name, err := readBack(ctx, turn.OwnDatabase, func(name string) bool { return name != "" })
	if err == nil && name == "" {
		err = errors.New("its connection record names none: turn the postgres engine on, or set database to the name")
	}
	return name, err
}

// find looks for the extension in the instance's list.
func (r *postgresExtensionResource) find(ctx context.Context, m postgresExtensionModel) (client.Extension, error) {
	// Read the extensions of all databases: the service's error for a database that no
	// longer exists does not say so.
	extensions, err := r.client.Extensions(ctx, m.InstanceID.ValueString())
	if err != nil {
		return client.Extension{}, err
	}
	for _, extension := range extensions {
		if extension.Name == m.Name.ValueString() && extension.Database == m.Database.ValueString() {
			return extension, nil
		}
	}
	return client.Extension{}, fmt.Errorf("extension %s in database %s: %w", m.Name.ValueString(), m.Database.ValueString(), client.ErrNotFound)
}

// setRecord copies the version from an entry of the list of extensions.
func (m *postgresExtensionModel) setRecord(e client.Extension) { m.Version = stringOrNull(e.Version) }

func (r *postgresExtensionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state postgresExtensionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.setIdentity(ctx, resp.Identity, state.identity(), &resp.Diagnostics)
	if r.client == nil {
		return
	}
	extension, err := r.record(ctx, state)
	switch {
	case errors.Is(err, client.ErrNotFound):
		r.removeGone(ctx, req.Private, &resp.State, state.absent(), &resp.Diagnostics, state.object().managed())
		return
	case err != nil:
		r.reach.addReadError(&resp.Diagnostics, "Unable to read extension "+state.Name.ValueString(), err)
		return
	}
	r.foundByRead(ctx, resp.Private, &resp.Diagnostics)
	state.setRecord(extension)
	r.setState(ctx, &resp.State, state, &resp.Diagnostics)
}

// record reads the extension for a refresh.
func (r *postgresExtensionResource) record(ctx context.Context, m postgresExtensionModel) (client.Extension, error) {
	r.client.StartReadingAccountID(ctx)
	return r.client.RefreshExtension(ctx, m.InstanceID.ValueString(), m.Database.ValueString(), m.Name.ValueString())
}

// Update sends no request, because only the timeouts can change in place.
func (r *postgresExtensionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx = r.applying(ctx, "update")
	identityOfState(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var plan postgresExtensionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.mayChange(ctx, req.Private, &resp.Diagnostics) {
		return
	}
	r.setResult(ctx, updating(req, resp), plan)
}

func (r *postgresExtensionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.applying(ctx, "delete")
	var state postgresExtensionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() ||
		!r.mayDelete(ctx, resp.Private, state.absent(), r.looksAtInstance(state.InstanceID.ValueString()), &resp.Diagnostics) {
		return
	}
	database, name := state.Database.ValueString(), state.Name.ValueString()
	err := inTurn(ctx, r.client, state.InstanceID.ValueString(), timeout, func(ctx context.Context, turn *client.Turn) error {
		if r.planned.isMadeAnew(state.object().managed()) {
			return nil
		}
		return turn.Do(ctx, client.OpExtensionDrop, func(ctx context.Context) (client.Pending, error) {
			return turn.DropExtension(ctx, database, name)
		})
	})
	if err != nil {
		r.addDeletionError(ctx, state.InstanceID.ValueString(), fmt.Sprintf("Unable to drop extension %s from database %s", name, database), err, &resp.Diagnostics)
	}
}

func (r *postgresExtensionResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, ok := r.importNamed(ctx, req, resp, importID{"the instance's id, the database's name and the extension's name", "i-4f2a/orders/pgvector", []string{"instance_id", "database", "name"}})
	if !ok || !r.requireInstance(ctx, "instance_id", id[0], &resp.Diagnostics) {
		return
	}
	if _, err := r.client.RefreshExtension(ctx, id[0], id[1], id[2]); errors.Is(err, client.ErrNotFound) {
		resp.Diagnostics.AddError(nothingToImport, fmt.Sprintf("Instance %s has no extension %s in a database %s. %s", id[0], id[2], id[1], otherName))
	}
}
