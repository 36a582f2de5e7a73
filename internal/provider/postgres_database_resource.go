package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var (
	_ resource.ResourceWithConfigure   = &postgresDatabaseResource{}
	_ resource.ResourceWithImportState = &postgresDatabaseResource{}
	_ resource.ResourceWithIdentity    = &postgresDatabaseResource{}
	_ resource.ResourceWithModifyPlan  = &postgresDatabaseResource{}
)

const databaseTimeout = 20 * time.Minute

func newPostgresDatabaseResource() resource.Resource { return &postgresDatabaseResource{} }

type postgresDatabaseResource struct{ resourceBase }

type postgresDatabaseModel struct {
	InstanceID         types.String      `tfsdk:"instance_id"`
	Name               types.String      `tfsdk:"name"`
	DeletionProtection types.Bool        `tfsdk:"deletion_protection"`
	CreatedAt          timetypes.RFC3339 `tfsdk:"created_at"`
	Timeouts           timeouts.Value    `tfsdk:"timeouts"`
}

func (r *postgresDatabaseResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_postgres_database"
}

func (r *postgresDatabaseResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "A Postgres database in addition to the instance's own database. Create one for each service or tenant that needs its own tables. " +
			"All databases of an instance share host, ports, user and password; only the name differs.",
		Attributes: map[string]schema.Attribute{
			"instance_id": instanceIDAttribute("all data of the former database is deleted"),
			"name": replacingName("Name: 1 to 63 lower case letters, digits and underscores, beginning with a letter. Unique on its instance. A change replaces the database: " +
				"**all of its data is deleted**."),
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(true),
				MarkdownDescription: "Refuses plans that destroy or replace the database. Default `true`. To delete: set `false`, apply, then destroy. " +
					"A database whose creation has not succeeded is not protected.",
			},
			"created_at": schema.StringAttribute{
				Computed:            true,
				CustomType:          timetypes.RFC3339Type{},
				MarkdownDescription: "When the database was created, in RFC 3339.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"timeouts": resourceTimeouts(ctx, timeouts.Opts{
				Create: true, CreateDescription: "How long to wait for the creation. Default `20m`.",
				Update: true, UpdateDescription: "How long to wait for a creation that an earlier apply began. Default `20m`.",
				Delete: true, DeleteDescription: "How long to wait for the deletion. Default `20m`.",
			}),
		},
	}
}

func (r *postgresDatabaseResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"instance_id": identityschema.StringAttribute{RequiredForImport: true, Description: "The instance's id."},
			"name":        identityschema.StringAttribute{RequiredForImport: true, Description: "The database's name."},
		},
	}
}

// ModifyPlan refuses to drop a protected database, warns of the data that dropping any
// other database deletes, and plans the update that resumes an interrupted creation.
func (r *postgresDatabaseResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.checkPlannedAccount(ctx, req, resp)
	defer r.withoutRepeats(!req.State.Raw.IsNull(), &resp.Diagnostics)
	state, plan, ok := planning[postgresDatabaseModel](ctx, req, &resp.Diagnostics)
	if !ok {
		return
	}
	if plan != nil && (state == nil || !plan.InstanceID.Equal(state.InstanceID) || !plan.Name.Equal(state.Name)) {
		r.checkEngineOn("postgres", "database", plan.InstanceID, &resp.Diagnostics)
	}
	r.planNamed(ctx, req, resp, state.object(), plan.object())
	if state == nil {
		refuseReplacement(ctx, req.Private, &resp.Diagnostics)
		warnOfName(&resp.Diagnostics, "database", plan.Name, databaseNameRule)
		return
	}
	creating := pendingCreation(ctx, req.Private, &resp.Diagnostics)
	protected := !creating && isProtected(state.DeletionProtection)
	at, dropped := path.Root("deletion_protection"), plan == nil
	if plan != nil {
		noteProtection(ctx, resp.Private, state.protectedObject(), protected, &resp.Diagnostics)
		switch {
		case !plan.Name.Equal(state.Name):
			warnOfName(&resp.Diagnostics, "database", plan.Name, databaseNameRule)
			at, dropped = path.Root("name"), true
		case !plan.InstanceID.Equal(state.InstanceID):
			at, dropped = path.Root("instance_id"), true
		}
	}
	switch {
	case dropped && creating: // the database was never ready, so nothing is lost
	case dropped && protected && plan == nil:
		state.protectedObject().refuseDestruction(&resp.Diagnostics, at)
	case dropped && protected:
		state.protectedObject().refuse(&resp.Diagnostics, at)
	case dropped:
		state.warnOfLoss(&resp.Diagnostics, at)
	default:
		if creating {
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("created_at"), timetypes.NewRFC3339Unknown())...)
		}
	}
}

// object identifies the database, whichever resource manages it. It is zero while the
// instance's id or the name is unknown.
func (m *postgresDatabaseModel) object() namedObject {
	if m == nil || m.InstanceID.IsUnknown() || m.Name.IsUnknown() {
		return namedObject{}
	}
	return namedObject{"database", "database " + m.Name.ValueString(), m.InstanceID.ValueString()}
}

// warnOfLoss warns that dropping the database deletes its data.
func (m postgresDatabaseModel) warnOfLoss(diags *diag.Diagnostics, at path.Path) {
	name, id := m.Name.ValueString(), m.InstanceID.ValueString()
	diags.AddAttributeWarning(at, "All data of a database will be lost",
		fmt.Sprintf("The plan drops database %s of instance %s. Applying it permanently deletes everything in it.", name, id))
}

// absent describes the database as an object that was not found.
func (m postgresDatabaseModel) absent() absentObject {
	instance := m.InstanceID.ValueString()
	return absentObject{what: fmt.Sprintf("Database %s of instance %s", m.Name.ValueString(), instance), instanceID: instance}
}

// protectedObject describes the database in errors about its protection.
func (m postgresDatabaseModel) protectedObject() protectedObject {
	name, instance := m.Name.ValueString(), m.InstanceID.ValueString()
	return protectedObject{Title: "Database " + name, Name: "Database " + name + " of instance " + instance, ImportID: instance + "/" + name}
}

func (r *postgresDatabaseResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx = r.applying(ctx, "create")
	var plan postgresDatabaseModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, databaseTimeout)
	resp.Diagnostics.Append(diags...)
	if !r.mayCreate(ctx, &resp.Diagnostics) || !r.makesNamed(plan.object(), &resp.Diagnostics) {
		return
	}
	name := plan.Name.ValueString()
	accepted, created := false, false
	var work pendingWork
	saved := plan
	saved.CreatedAt.StringValue = nullIfUnknown(saved.CreatedAt.StringValue)
	err := inTurn(ctx, r.client, plan.InstanceID.ValueString(), timeout, func(ctx context.Context, turn *client.Turn) error {
		pending, err := turn.CreateDatabase(ctx, name)
		if err != nil {
			return err
		}
		accepted, work = true, pendingWork{Job: pending.JobID, Creating: true}
		r.setState(ctx, &resp.State, saved, &resp.Diagnostics)
		r.setIdentity(ctx, resp.Identity, childIdentity{InstanceID: plan.InstanceID, Name: plan.Name}, &resp.Diagnostics)
		savePrivate(ctx, resp.Private, pendingKey, work, &resp.Diagnostics)
		r.noteCreated(ctx, resp.Private, &resp.Diagnostics)
		if err := turn.Wait(ctx, pending, client.OpDatabaseCreate); err != nil {
			return err
		}
		created = true
		return r.read(ctx, &plan)
	})
	switch {
	case created && err != nil:
		resp.Diagnostics.AddWarning("Database "+name+" was created, but could not be read",
			explain(err)+"\n\nThe database is in the state and not tainted. The next apply reads it.")
	case accepted && stillInProgress(err):
		resp.Diagnostics.AddWarning("Database "+name+" is still being created",
			sentence(err.Error())+"\n\nThe database is in the state and not tainted, and the service continues with it. Apply again to wait for the same job.")
	case err != nil:
		if accepted {
			work, saved.DeletionProtection = work.creationFailed(saved.DeletionProtection)
			savePrivate(ctx, resp.Private, pendingKey, work, &resp.Diagnostics)
			r.setState(ctx, &resp.State, saved, &resp.Diagnostics)
		} else {
			r.planned.failsToMake(plan.object().managed())
		}
		addError(&resp.Diagnostics, "Unable to create database "+name, orExisting(err, "hosting_postgres_database", plan.InstanceID.ValueString()+"/"+name))
	default:
		clearPending(ctx, resp.Private, &resp.Diagnostics)
		r.setResult(ctx, creating(req, resp), plan)
	}
}

// read reads a created database into the model.
func (r *postgresDatabaseResource) read(ctx context.Context, m *postgresDatabaseModel) error {
	database, err := readBack(ctx, func(ctx context.Context) (client.Database, error) { return r.find(ctx, *m) }, anything)
	if err != nil {
		return err
	}
	m.setRecord(database)
	return nil
}

// find looks for the database in the instance's list.
func (r *postgresDatabaseResource) find(ctx context.Context, m postgresDatabaseModel) (client.Database, error) {
	databases, err := r.client.Databases(ctx, m.InstanceID.ValueString())
	if err != nil {
		return client.Database{}, err
	}
	for _, database := range databases {
		if database.Name == m.Name.ValueString() {
			return database, nil
		}
	}
	return client.Database{}, fmt.Errorf("database %s of instance %s: %w", m.Name.ValueString(), m.InstanceID.ValueString(), client.ErrNotFound)
}

func (r *postgresDatabaseResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state postgresDatabaseModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	work, pending := loadPrivate[pendingWork](ctx, req.Private, pendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.setIdentity(ctx, resp.Identity, childIdentity{InstanceID: state.InstanceID, Name: state.Name}, &resp.Diagnostics)
	if r.client == nil {
		return
	}
	inProgress := pending && r.inProgress(ctx, work.Job)
	database, err := r.record(ctx, state)
	switch {
	case errors.Is(err, client.ErrNotFound) && inProgress && !r.isElsewhere(ctx, req.Private, &resp.Diagnostics):
		return // the database does not exist yet; the next apply waits for it
	case errors.Is(err, client.ErrNotFound):
		r.removeGone(ctx, req.Private, &resp.State, state.absent(), &resp.Diagnostics, state.object().managed())
		return
	case err != nil:
		r.reach.addReadError(&resp.Diagnostics, "Unable to read database "+state.Name.ValueString(), err)
		return
	}
	r.foundByRead(ctx, resp.Private, &resp.Diagnostics)
	state.setRecord(database)
	clearPending(ctx, resp.Private, &resp.Diagnostics)
	r.setState(ctx, &resp.State, state, &resp.Diagnostics)
}

// record reads the database for a refresh.
func (r *postgresDatabaseResource) record(ctx context.Context, m postgresDatabaseModel) (client.Database, error) {
	r.client.StartReadingAccountID(ctx)
	return r.client.RefreshDatabase(ctx, m.InstanceID.ValueString(), m.Name.ValueString())
}

// Update finishes a creation that an earlier apply began. Other changes need no request,
// because the service does not store those values.
func (r *postgresDatabaseResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx = r.applying(ctx, "update")
	identityOfState(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var state, plan postgresDatabaseModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Update(ctx, databaseTimeout)
	resp.Diagnostics.Append(diags...)
	work, pending := loadPrivate[pendingWork](ctx, req.Private, pendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.mayChange(ctx, req.Private, &resp.Diagnostics) {
		return
	}
	protectAtOnce(ctx, state.DeletionProtection, plan.DeletionProtection, &resp.State, &resp.Diagnostics)
	forgetProtection(ctx, resp.Private, &resp.Diagnostics)
	if pending {
		err := inTurn(ctx, r.client, plan.InstanceID.ValueString(), timeout, func(ctx context.Context, turn *client.Turn) error {
			if err := awaitLeft(ctx, turn, work, client.OpDatabaseCreate); err != nil {
				return err
			}
			return r.read(ctx, &plan)
		})
		if err != nil {
			addError(&resp.Diagnostics, "Unable to finish creating database "+plan.Name.ValueString(), err)
			return
		}
		clearPending(ctx, resp.Private, &resp.Diagnostics)
	}
	r.setResult(ctx, updating(req, resp), plan)
}

func (r *postgresDatabaseResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.applying(ctx, "delete")
	var state postgresDatabaseModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, databaseTimeout)
	resp.Diagnostics.Append(diags...)
	work, _ := loadPrivate[pendingWork](ctx, req.Private, pendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.mayDelete(ctx, resp.Private, state.absent(), r.looksAtInstance(state.InstanceID.ValueString()), &resp.Diagnostics) {
		return
	}
	name := state.Name.ValueString()
	mayGo := false // true after the first permission: a database found missing is empty, even once it exists
	err := r.delete(ctx, deletion{
		instanceID: state.InstanceID.ValueString(), timeout: timeout, operation: client.OpDatabaseDrop, object: state.protectedObject(),
		isProtected: func(ctx context.Context, _ *client.Turn) (bool, error) {
			if mayGo {
				return false, nil
			}
			protected, err := r.isProtected(ctx, state, work)
			mayGo = err == nil && !protected
			return protected, err
		},
		send: func(ctx context.Context, turn *client.Turn, permit client.Permit) (client.Pending, error) {
			return turn.DropDatabase(ctx, name, permit)
		},
	}, &resp.Diagnostics)
	if err != nil {
		r.addDeletionError(ctx, state.InstanceID.ValueString(), "Unable to drop database "+name, err, &resp.Diagnostics)
	}
}

// isProtected checks the protection again before a deletion. Evidence in the state that
// the database was not created may be old, so isProtected reads the list.
func (r *postgresDatabaseResource) isProtected(ctx context.Context, state postgresDatabaseModel, work pendingWork) (bool, error) {
	creating := work.Creating || state.DeletionProtection.IsNull() // null: the creation failed
	if !isProtected(state.DeletionProtection) || !creating {
		return isProtected(state.DeletionProtection), nil
	}
	_, err := r.find(ctx, state)
	return err == nil, unlessGone(err)
}

func (r *postgresDatabaseResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, ok := r.importNamed(ctx, req, resp, importID{"the instance's id and the database's name", "i-4f2a/orders", []string{"instance_id", "name"}})
	if !ok || !r.requireInstance(ctx, "instance_id", id[0], &resp.Diagnostics) {
		return
	}
	// The list of databases also has the instance's own database, which the service never
	// drops.
	connection, err := r.client.Connection(ctx, id[0])
	if err == nil && connection.Engines.Postgres != nil && connection.Engines.Postgres.Database == id[1] {
		resp.Diagnostics.AddAttributeError(path.Root("name"), "The instance's own database cannot be imported",
			fmt.Sprintf("Database %s comes and goes with the postgres engine of instance %s, so no resource manages it. "+
				"Remove the import, and use the name %q where the database is needed.", id[1], id[0], id[1]))
		return
	}
	if _, err := r.client.RefreshDatabase(ctx, id[0], id[1]); errors.Is(err, client.ErrNotFound) {
		resp.Diagnostics.AddAttributeError(path.Root("name"), nothingToImport, fmt.Sprintf("Instance %s has no database %s. %s", id[0], id[1], otherName))
	}
}

func (m *postgresDatabaseModel) setRecord(d client.Database) {
	setRecorded(&m.CreatedAt.StringValue, timeOrNull(d.CreatedAt).ValueString())
	if m.DeletionProtection.IsNull() {
		m.DeletionProtection = types.BoolValue(true) // after an import: the service does not know this value
	}
}
