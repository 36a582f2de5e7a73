package postgres

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
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

var (
	_ resource.ResourceWithConfigure   = &postgresDatabaseResource{}
	_ resource.ResourceWithImportState = &postgresDatabaseResource{}
	_ resource.ResourceWithIdentity    = &postgresDatabaseResource{}
	_ resource.ResourceWithModifyPlan  = &postgresDatabaseResource{}
)

const databaseTimeout = 20 * time.Minute

// NewDatabaseResource returns the resource hosting_postgres_database.
func NewDatabaseResource() resource.Resource { return &postgresDatabaseResource{} }

type postgresDatabaseResource struct{ base.Resource }

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
			"instance_id": base.InstanceIDAttribute("all data of the former database is deleted"),
			"name": base.ReplacingName("Name: 1 to 63 lower case letters, digits and underscores, beginning with a letter. Unique on its instance. A change replaces the database: " +
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
			"timeouts": attributes.ResourceTimeouts(ctx, timeouts.Opts{
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
	defer r.CheckPlannedAccount(ctx, req, resp)
	defer r.DropRepeatedWarnings(!req.State.Raw.IsNull(), &resp.Diagnostics)
	state, plan, ok := base.Planning[postgresDatabaseModel](ctx, req, &resp.Diagnostics)
	if !ok {
		return
	}
	if state == nil {
		r.CheckEngineOn("postgres", "database", plan.InstanceID, &resp.Diagnostics)
		base.RefuseReplacement(ctx, req.Private, &resp.Diagnostics)
		r.RefuseKept(plan.object(), &resp.Diagnostics)
		attributes.WarnOfName(&resp.Diagnostics, "database", plan.Name, attributes.DatabaseNameRule)
		r.Planned.Creates(plan.object().Managed())
		return
	}
	r.Planned.ForgetKept(state.object().Managed())
	creating := base.PendingCreation(ctx, req.Private, &resp.Diagnostics)
	protected := !creating && base.IsProtected(state.DeletionProtection)
	at, why, dropped := path.Root("deletion_protection"), "", plan == nil
	if plan != nil {
		replacement := r.PlanReplacement(req, resp, "database "+state.Name.ValueString(), state.InstanceID, plan.replacing(*state)...)
		if replacement.Replaces() {
			attributes.WarnOfName(&resp.Diagnostics, "database", plan.Name, attributes.DatabaseNameRule)
			at, why, dropped = replacement.Path(), replacement.Why, true
		}
		if dropped || base.IsProtected(state.DeletionProtection) {
			r.CheckEngineOn("postgres", "database", replacement.Settled(state.InstanceID, plan.InstanceID), &resp.Diagnostics)
		}
		base.NoteProtection(ctx, resp.Private, state.protectedObject(), protected, &resp.Diagnostics)
	}
	switch {
	case dropped && creating: // the database was never ready, so nothing is lost
	case dropped && protected && plan == nil:
		state.protectedObject().RefuseDestruction(&resp.Diagnostics, at)
	case dropped && protected:
		state.protectedObject().Refuse(&resp.Diagnostics, at, why)
	case dropped:
		state.warnOfLoss(&resp.Diagnostics, at, plan == nil)
	default:
		if creating {
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("created_at"), timetypes.NewRFC3339Unknown())...)
		}
	}
}

// replacing returns the arguments whose change replaces the database of a state.
func (m postgresDatabaseModel) replacing(state postgresDatabaseModel) []base.ReplacingArgument {
	return []base.ReplacingArgument{
		{Name: "instance_id", State: state.InstanceID, Plan: m.InstanceID},
		{Name: "name", State: state.Name, Plan: m.Name},
	}
}

// object identifies the database by its instance and its name.
func (m *postgresDatabaseModel) object() base.NamedObject {
	return base.NamedObject{What: "database " + m.Name.ValueString(), InstanceID: m.InstanceID.ValueString()}
}

// warnOfLoss warns that dropping the database deletes its data. destroyed is true if its block
// is gone.
func (m postgresDatabaseModel) warnOfLoss(diags *diag.Diagnostics, at path.Path, destroyed bool) {
	name, id, hint := m.Name.ValueString(), m.InstanceID.ValueString(), ""
	if destroyed {
		hint = base.RenamedHint
	}
	diags.AddAttributeWarning(at, "All data of a database will be lost",
		fmt.Sprintf("The plan drops database %s of instance %s.%s Applying it permanently deletes everything in it.", name, id, hint))
}

// absent describes the database as an object that was not found.
func (m postgresDatabaseModel) absent() base.AbsentObject {
	instance := m.InstanceID.ValueString()
	return base.AbsentObject{
		What: fmt.Sprintf("Database %s of instance %s", m.Name.ValueString(), instance), InstanceID: instance,
		IsValuable: func(context.Context) bool { return base.IsProtected(m.DeletionProtection) },
	}
}

// protectedObject describes the database in errors about its protection.
func (m postgresDatabaseModel) protectedObject() base.ProtectedObject {
	name, instance := m.Name.ValueString(), m.InstanceID.ValueString()
	return base.ProtectedObject{Title: "Database " + name, Name: "Database " + name + " of instance " + instance, ImportID: instance + "/" + name}
}

func (r *postgresDatabaseResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx = r.BeginApply(ctx, "create")
	var plan postgresDatabaseModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, databaseTimeout)
	resp.Diagnostics.Append(diags...)
	if !r.MayCreate(ctx, &resp.Diagnostics) {
		return
	}
	name := plan.Name.ValueString()
	accepted, created, kept := false, false, (*client.KeptNameError)(nil)
	var work base.PendingWork
	saved := plan
	saved.CreatedAt.StringValue = attributes.NullIfUnknown(saved.CreatedAt.StringValue)
	err := base.InTurn(ctx, r.Client, plan.InstanceID.ValueString(), timeout, func(ctx context.Context, turn *client.Turn) error {
		pending, err := turn.CreateDatabase(ctx, name)
		if err != nil {
			return err
		}
		r.Planned.HasMade(plan.object().Managed())
		mark := pending.JobID
		if mark == "" {
			mark = r.Client.Mark()
		}
		r.Planned.NoteCreation(plan.object().Managed(), mark)
		privatestate.Save(ctx, resp.Private, privatestate.CreationKey, mark, &resp.Diagnostics)
		accepted, work = true, base.PendingWork{Job: pending.JobID, Creating: true}
		r.SetState(ctx, &resp.State, saved, &resp.Diagnostics)
		r.SetIdentity(ctx, resp.Identity, base.ChildIdentity{InstanceID: plan.InstanceID, Name: plan.Name}, &resp.Diagnostics)
		privatestate.Save(ctx, resp.Private, privatestate.PendingKey, work, &resp.Diagnostics)
		r.NoteCreated(ctx, resp.Private, &resp.Diagnostics)
		if err := turn.WaitNamed(ctx, pending, client.OpDatabaseCreate, name); err != nil {
			return err
		}
		created = true
		return r.read(ctx, &plan)
	})
	switch {
	case errors.As(err, &kept):
		r.SaveKept(ctx, resp, "Unable to create database "+name, kept)
	case created && err != nil:
		resp.Diagnostics.AddWarning("Database "+name+" was created, but could not be read",
			diagnostics.Explain(err)+"\n\nThe database is in the state and not tainted. The next apply reads it.")
	case accepted && diagnostics.StillInProgress(err):
		resp.Diagnostics.AddWarning("Database "+name+" is still being created", diagnostics.Unfinished("The database", err))
	case err != nil:
		if accepted {
			work, saved.DeletionProtection = work.CreationFailed(saved.DeletionProtection)
			privatestate.Save(ctx, resp.Private, privatestate.PendingKey, work, &resp.Diagnostics)
			r.SetState(ctx, &resp.State, saved, &resp.Diagnostics)
		}
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to create database "+name, r.orExisting(ctx, plan, err))
	default:
		base.ClearPending(ctx, resp.Private, &resp.Diagnostics)
		r.SetResult(ctx, base.Creating(req, resp), plan)
	}
}

// orExisting adds what to do to the error that a database exists already, if it is found: to
// import it, unless it is the instance's own.
func (r *postgresDatabaseResource) orExisting(ctx context.Context, m postgresDatabaseModel, err error) error {
	if !errors.Is(err, client.ErrAlreadyExists) {
		return err
	}
	if own, _ := recordedOwnDatabase(ctx, r.Client, m.InstanceID.ValueString()); own == m.Name.ValueString() {
		return &ownDatabaseError{err, own}
	}
	if _, notFound := r.find(ctx, m); notFound != nil {
		return err
	}
	return diagnostics.OrExisting(err, "hosting_postgres_database", m.InstanceID.ValueString()+"/"+m.Name.ValueString())
}

// read reads a created database into the model.
func (r *postgresDatabaseResource) read(ctx context.Context, m *postgresDatabaseModel) error {
	database, err := client.ReadBack(ctx, r.Client, func(ctx context.Context) (client.Database, error) { return r.find(ctx, *m) }, client.AnyRecord)
	if err != nil {
		return err
	}
	m.setRecord(database)
	return nil
}

// find looks for the database in the instance's list.
func (r *postgresDatabaseResource) find(ctx context.Context, m postgresDatabaseModel) (client.Database, error) {
	databases, err := r.Client.Databases(ctx, m.InstanceID.ValueString())
	for _, database := range databases {
		if database.Name == m.Name.ValueString() {
			return database, nil
		}
	}
	if err != nil {
		return client.Database{}, err
	}
	return client.Database{}, fmt.Errorf("database %s of instance %s: %w", m.Name.ValueString(), m.InstanceID.ValueString(), client.ErrNotFound)
}

func (r *postgresDatabaseResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state postgresDatabaseModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	work, _ := privatestate.Load[base.PendingWork](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.SetIdentity(ctx, resp.Identity, base.ChildIdentity{InstanceID: state.InstanceID, Name: state.Name}, &resp.Diagnostics)
	if r.Client == nil {
		return
	}
	mayAppear := r.MayAppear(ctx, work.Job)
	database, err := r.record(ctx, state)
	switch {
	case errors.Is(err, client.ErrNotFound) && mayAppear() && !r.IsElsewhere(ctx, req.Private, &resp.Diagnostics):
		return // the database does not exist yet; the next apply waits for it
	case errors.Is(err, client.ErrNotFound):
		r.RemoveGone(ctx, req.Private, &resp.State, state.absent(), &resp.Diagnostics)
		return
	case err != nil:
		r.Service.AddReadError(&resp.Diagnostics, "Unable to read database "+state.Name.ValueString(), err)
		return
	}
	r.FoundByRead(ctx, resp.Private, &resp.Diagnostics)
	r.NoteKept(ctx, req.Private, "database", state.InstanceID, state.Name, &resp.Diagnostics)
	mark, _ := privatestate.Load[string](ctx, req.Private, privatestate.CreationKey, &resp.Diagnostics)
	r.Planned.NoteCreation(state.object().Managed(), mark)
	state.setRecord(database)
	base.ClearPending(ctx, resp.Private, &resp.Diagnostics)
	r.SetState(ctx, &resp.State, state, &resp.Diagnostics)
}

// record reads the database for a refresh.
func (r *postgresDatabaseResource) record(ctx context.Context, m postgresDatabaseModel) (client.Database, error) {
	r.Client.StartReadingAccountID(ctx)
	return r.Client.RefreshDatabase(ctx, m.InstanceID.ValueString(), m.Name.ValueString())
}

// Update finishes a creation that an earlier apply began. Other changes need no request,
// because the service does not store those values.
func (r *postgresDatabaseResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx = r.BeginApply(ctx, "update")
	base.IdentityOfState(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var state, plan postgresDatabaseModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Update(ctx, databaseTimeout)
	resp.Diagnostics.Append(diags...)
	work, pending := privatestate.Load[base.PendingWork](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !base.KeepsObject("database "+state.Name.ValueString(), &resp.Diagnostics, plan.replacing(state)...) || !r.MayChange(ctx, req.Private, &resp.Diagnostics) {
		return
	}
	base.ProtectAtOnce(ctx, state.DeletionProtection, plan.DeletionProtection, &resp.State, &resp.Diagnostics)
	base.ForgetProtection(ctx, resp.Private, &resp.Diagnostics)
	base.ForgetKept(ctx, resp.Private, &resp.Diagnostics)
	if pending {
		err := base.InTurn(ctx, r.Client, plan.InstanceID.ValueString(), timeout, func(ctx context.Context, turn *client.Turn) error {
			if err := base.AwaitPending(ctx, turn, work, client.OpDatabaseCreate); err != nil {
				return err
			}
			return r.read(ctx, &plan)
		})
		if err != nil {
			diagnostics.AddClientError(&resp.Diagnostics, "Unable to finish creating database "+plan.Name.ValueString(), err)
			return
		}
		base.ClearPending(ctx, resp.Private, &resp.Diagnostics)
	}
	r.SetResult(ctx, base.Updating(req, resp), plan)
}

func (r *postgresDatabaseResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.BeginApply(ctx, "delete")
	var state postgresDatabaseModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, databaseTimeout)
	resp.Diagnostics.Append(diags...)
	work, _ := privatestate.Load[base.PendingWork](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.MayDelete(ctx, resp.Private, state.absent(), r.LooksAtInstance(state.InstanceID.ValueString()), &resp.Diagnostics) {
		return
	}
	name := state.Name.ValueString()
	mayGo := false // true after the first permission: a database found missing is empty, even once it exists
	err := r.DeleteObject(ctx, base.Deletion{
		InstanceID: state.InstanceID.ValueString(), Timeout: timeout, Operation: client.OpDatabaseDrop, Object: state.protectedObject(), Managed: state.object().Managed(),
		IsProtected: func(ctx context.Context, _ *client.Turn) (bool, error) {
			if mayGo {
				return false, nil
			}
			protected, err := r.isProtected(ctx, state, work)
			mayGo = err == nil && !protected
			return protected, err
		},
		Send: func(ctx context.Context, turn *client.Turn, guard client.DeleteGuard) (client.Pending, error) {
			return turn.DropDatabase(ctx, name, guard)
		},
	}, &resp.Diagnostics)
	if err != nil {
		r.AddDeletionError(ctx, state.InstanceID.ValueString(), "Unable to drop database "+name, err, &resp.Diagnostics)
	}
}

// isProtected checks the protection again before a deletion. Evidence in the state that
// the database was not created may be old, so isProtected reads the list.
func (r *postgresDatabaseResource) isProtected(ctx context.Context, state postgresDatabaseModel, work base.PendingWork) (bool, error) {
	creating := work.Creating || state.DeletionProtection.IsNull() // null: the creation failed
	if !base.IsProtected(state.DeletionProtection) || !creating {
		return base.IsProtected(state.DeletionProtection), nil
	}
	_, err := r.find(ctx, state)
	return err == nil, base.IgnoreNotFound(err)
}

func (r *postgresDatabaseResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, ok := r.ImportNamed(ctx, req, resp, base.ImportID{What: "the instance's id and the database's name", Sample: "i-4f2a/orders", Names: []string{"instance_id", "name"}})
	if !ok || !r.RequireInstance(ctx, "instance_id", id[0], &resp.Diagnostics) {
		return
	}
	// The list of databases also has the instance's own database, which the service never
	// drops.
	switch own, err := recordedOwnDatabase(ctx, r.Client, id[0]); {
	case err != nil:
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to read whether database "+id[1]+" is the own one of instance "+id[0], err)
		return
	case own == id[1]:
		resp.Diagnostics.AddAttributeError(path.Root("name"), "The instance's own database cannot be imported",
			fmt.Sprintf("Database %s comes and goes with the postgres engine of instance %s, so no resource manages it. "+
				"Remove the import, and use the name %q where the database is needed.", id[1], id[0], id[1]))
		return
	}
	if _, err := r.Client.RefreshDatabase(ctx, id[0], id[1]); errors.Is(err, client.ErrNotFound) {
		resp.Diagnostics.AddAttributeError(path.Root("name"), base.NothingToImport, fmt.Sprintf("Instance %s has no database %s. %s", id[0], id[1], base.OtherName))
	}
}

func (m *postgresDatabaseModel) setRecord(d client.Database) {
	attributes.SetRecorded(&m.CreatedAt.StringValue, attributes.TimeOrNull(d.CreatedAt).ValueString())
	if m.DeletionProtection.IsNull() {
		m.DeletionProtection = types.BoolValue(true) // after an import: the service does not know this value
	}
}
