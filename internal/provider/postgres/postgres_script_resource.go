package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
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
	_ resource.ResourceWithConfigure   = &postgresScriptResource{}
	_ resource.ResourceWithImportState = &postgresScriptResource{}
	_ resource.ResourceWithModifyPlan  = &postgresScriptResource{}
)

// NewScriptResource returns the resource hosting_postgres_script.
func NewScriptResource() resource.Resource { return &postgresScriptResource{} }

type postgresScriptResource struct{ base.Resource }

type postgresScriptModel struct {
	InstanceID   types.String   `tfsdk:"instance_id"`
	Database     types.String   `tfsdk:"database"`
	SQL          types.String   `tfsdk:"sql"`
	SQLWO        types.String   `tfsdk:"sql_wo"`
	SQLWOVersion types.Int64    `tfsdk:"sql_wo_version"`
	DestroySQL   types.String   `tfsdk:"destroy_sql"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`
}

const scriptTimeout = 20 * time.Minute

func (r *postgresScriptResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_postgres_script"
}

func (r *postgresScriptResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "Runs SQL when the resource is created, and again when `sql` or `sql_wo_version` changes. " +
			"Use it for schemas and seed data, without a Postgres client. Write statements that can run again, such as `CREATE TABLE IF NOT EXISTS`.\n\n" +

			"If the SQL console is `off` or `ro`, it is opened for the run and restored afterwards, even if the script fails. If the service does not report the mode, the console stays as it is. " +
			"If you interrupt an apply while a statement runs, the console may stay open; the error says so. If another client sets the mode during the run, that mode is kept. " +
			"Statements run in one transaction, and their results are discarded. Objects that a script creates are not checked for drift. `timeouts` limits a run, and a statement that is running then has 30 more seconds; " +
			"`request_timeout` does not.\n\n" +

			"A script is not sent again without your decision. " +
			"If the response is lost, or a timeout ends while a statement runs, the apply ends with an error. A script that was being created is then tainted. Later applies refuse to run or destroy the script until you run one of the two commands in the error. " +
			"If the script ran, `terraform untaint` accepts its creation, and `terraform apply -refresh-only` its change. " +
			"Then apply before you change or delete the block. " +
			"To run it again, use `terraform state rm`, and apply. " +
			"If the response to `destroy_sql` is lost, the next destroy sends it again: check first whether it took effect. " +
			"**Do not use `create_before_destroy` for statements that must not run twice**: " +
			"Terraform runs the replacement before it destroys a script of unknown outcome.",
		Attributes: map[string]schema.Attribute{
			"instance_id": base.InstanceIDAttribute("`destroy_sql` runs on the former instance"),
			"database": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{attributes.NotEmpty()},
				MarkdownDescription: "Database to run in. Default: the instance's own database. A change replaces the resource: `destroy_sql` runs in the former database.",
			},
			"sql": schema.StringAttribute{
				Optional: true,
				Validators: []validator.String{
					attributes.NotEmpty(),
					attributes.OneOfTwo("sql", "sql_wo", stringvalidator.ExactlyOneOf(path.MatchRoot("sql"), path.MatchRoot("sql_wo"))),
				},
				MarkdownDescription: "Statements to run, stored in the state. Set this or `sql_wo`. A change runs the new statements; `destroy_sql` does not run for it.",
			},
			"sql_wo": schema.StringAttribute{
				Optional:  true,
				WriteOnly: true,
				Sensitive: true,
				Validators: []validator.String{
					attributes.NotEmpty(),
					attributes.AlsoNeeds("sql_wo", "sql_wo_version", stringvalidator.AlsoRequires(path.MatchRoot("sql_wo_version"))),
				},
				MarkdownDescription: "Statements to run, kept out of the state, for those that contain a secret. Change `sql_wo_version` to run changed ones.",
			},
			"sql_wo_version": schema.Int64Attribute{
				Optional:            true,
				Validators:          []validator.Int64{attributes.AlsoNeeds("sql_wo_version", "sql_wo", int64validator.AlsoRequires(path.MatchRoot("sql_wo")))},
				MarkdownDescription: "Any number. A change runs `sql_wo`.",
			},
			"destroy_sql": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{attributes.NotEmpty()},
				MarkdownDescription: "Statements to run on destroy. Default: none, which leaves everything in place. With `create_before_destroy`, they run after the replacement's `sql`. They may also do so after a rename without a `moved` block.",
			},
			"timeouts": attributes.ResourceTimeouts(ctx, timeouts.Opts{
				Create: true, CreateDescription: "How long the script may take, with the changes of the console. Default `20m`.",
				Update: true, UpdateDescription: "How long a changed script may take. Default `20m`.",
				Delete: true, DeleteDescription: "How long `destroy_sql` may take. Default `20m`.",
			}),
		},
	}
}

func (r *postgresScriptResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx = r.BeginApply(ctx, "create")
	var plan postgresScriptModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, scriptTimeout)
	resp.Diagnostics.Append(diags...)
	if !r.MayCreate(ctx, &resp.Diagnostics) {
		return
	}
	sql := r.sql(ctx, plan, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ran, err := r.run(ctx, plan, sql, timeout)
	if ran || isLost(err) {
		r.noteDatabase(ctx, resp.Private, plan, &resp.Diagnostics)
	}
	if !ran && isLost(err) {
		r.NoteCreated(ctx, resp.Private, &resp.Diagnostics)
		r.SetState(ctx, &resp.State, plan.withUnknownOutcome(), &resp.Diagnostics)
		refuseUnknown(plan, acceptCreation, err, &resp.Diagnostics)
		return
	}
	if ran {
		// The state is saved even if the console could not be restored. Otherwise the
		// script would run again.
		r.NoteCreated(ctx, resp.Private, &resp.Diagnostics)
		r.SetState(ctx, &resp.State, plan, &resp.Diagnostics)
	}
	addScriptError(&resp.Diagnostics, "Unable to run the script on instance "+plan.InstanceID.ValueString(), ran, err)
}

// addScriptError reports the failure of a script. If the script ran, only the console's
// mode was not restored. That is a warning, which says how to set the mode: an error
// would make the script run again.
func addScriptError(diags *diag.Diagnostics, summary string, ran bool, err error) {
	switch {
	case err == nil:
	case ran:
		diags.AddWarning("The script ran, but the SQL console mode was not restored", diagnostics.Sentence(err.Error()))
	default:
		diagnostics.AddClientError(diags, summary, err)
	}
}

func (r *postgresScriptResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state postgresScriptModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || r.Client == nil {
		return
	}
	id := state.InstanceID.ValueString()
	r.Client.StartReadingAccountID(ctx)
	database, err := r.refreshDatabase(ctx, state)
	if err == nil {
		err = r.compareDatabase(ctx, resp.Private, state, database, &resp.Diagnostics)
	}
	switch {
	case errors.Is(err, client.ErrNotFound) && !r.ConfirmsGone(ctx, req.Private, state.absent(), &resp.Diagnostics):
	case errors.Is(err, client.ErrNotFound):
		warnOfLostScript(id, &resp.Diagnostics)
		resp.State.RemoveResource(ctx)
	case err != nil:
		r.Service.AddReadError(&resp.Diagnostics, "Unable to read instance "+id, err)
	default:
		r.FoundByRead(ctx, resp.Private, &resp.Diagnostics)
		r.readUnknownUpdate(ctx, req.Private, state, resp)
	}
}

// readUnknownUpdate puts the script of an update with an unknown outcome into the state.
// If the state already has the script, the user has accepted it.
func (r *postgresScriptResource) readUnknownUpdate(ctx context.Context, private privatestate.Reader, state postgresScriptModel, resp *resource.ReadResponse) {
	note, unknown := privatestate.Load[unknownUpdate](ctx, private, privatestate.UnknownUpdateKey, &resp.Diagnostics)
	if !unknown {
		return
	}
	state, left := note.refresh(state)
	noteUnknownUpdate(ctx, resp.Private, left, &resp.Diagnostics)
	if left != nil {
		resp.Diagnostics.AddWarning("The refreshed state says that the script ran on instance "+state.InstanceID.ValueString(),
			"This is not known, as the answer of the service was lost. Accept it, by terraform apply -refresh-only, only if the statements of the script took effect.")
	}
	r.SetState(ctx, &resp.State, state, &resp.Diagnostics)
}

// absent describes the objects that the script made as not found. They count as valuable,
// because a script that has left the state runs again.
func (m postgresScriptModel) absent() base.AbsentObject {
	id := m.InstanceID.ValueString()
	return base.AbsentObject{
		What: "What a script made on instance " + id, InstanceID: id,
		IsValuable: func(context.Context) bool { return true },
	}
}

// ModifyPlan compares the account. It refuses every plan after an update with an unknown
// outcome. After a creation with an unknown outcome, it refuses a plan that destroys or
// replaces the script. Only an update in place is planned: its prior state shows that the
// script is no longer tainted, and it removes the mark. A plan that replaces a tainted
// script does not see the state, so Delete refuses as well.
func (r *postgresScriptResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.CheckPlannedAccount(ctx, req, resp)
	defer r.DropRepeatedWarnings(!req.State.Raw.IsNull(), &resp.Diagnostics)
	state, plan, ok := base.Planning[postgresScriptModel](ctx, req, &resp.Diagnostics)
	if !ok {
		return
	}
	replaced := false
	if state != nil && plan != nil {
		replaced = r.PlanReplacement(req, resp, "the script on instance "+state.InstanceID.ValueString(), state.InstanceID, plan.replacing(*state)...).Replaces()
	}
	if plan != nil && (state == nil || replaced) {
		r.CheckEngineOn("postgres", "script", plan.InstanceID, &resp.Diagnostics)
	}
	if plan != nil && state != nil && !plan.SQL.Equal(state.SQL) && isSameSQL(plan.SQL, state.SQL) {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("sql"), state.SQL)...)
	}
	if state == nil {
		return
	}
	if plan != nil && !replaced && !plan.isAnother(*state) {
		r.warnOfNewDatabase(*state, &resp.Diagnostics)
	}
	_, unknown := privatestate.Load[unknownUpdate](ctx, req.Private, privatestate.UnknownUpdateKey, &resp.Diagnostics)
	switch {
	case unknown:
		refuseUnknown(*state, acceptUpdate, nil, &resp.Diagnostics)
	case state.hasUnknownOutcome() && (plan == nil || replaced):
		refuseUnknown(*state, acceptCreation, nil, &resp.Diagnostics)
	case (plan == nil || replaced) && !state.DestroySQL.IsNull():
		resp.Diagnostics.AddAttributeWarning(path.Root("destroy_sql"), "The destroy_sql of a script will run",
			"The plan destroys or replaces the script on instance "+state.InstanceID.ValueString()+". Applying it runs the statements of destroy_sql there.")
	}
}

func (r *postgresScriptResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx = r.BeginApply(ctx, "update")
	var plan, state postgresScriptModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := plan.Timeouts.Update(ctx, scriptTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !base.KeepsObject("the script on instance "+state.InstanceID.ValueString(), &resp.Diagnostics, plan.replacing(state)...) ||
		!r.MayChange(ctx, req.Private, &resp.Diagnostics) {
		return
	}
	sql := r.sql(ctx, plan, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ran := true
	var err error
	if plan.isAnother(state) {
		ran, err = r.run(ctx, plan, sql, timeout)
		if ran || isLost(err) {
			r.noteDatabase(ctx, resp.Private, plan, &resp.Diagnostics)
		}
	}
	if !ran && isLost(err) {
		noteUnknownUpdate(ctx, resp.Private, &unknownUpdate{SQL: plan.SQL.ValueStringPointer(), SQLWOVersion: plan.SQLWOVersion.ValueInt64Pointer()}, &resp.Diagnostics)
		refuseUnknown(plan, acceptUpdate, err, &resp.Diagnostics)
		return
	}
	if ran {
		r.SetState(ctx, &resp.State, plan, &resp.Diagnostics)
	}
	addScriptError(&resp.Diagnostics, "Unable to run the changed script on instance "+plan.InstanceID.ValueString(), ran, err)
}

func (r *postgresScriptResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.BeginApply(ctx, "delete")
	var state postgresScriptModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, scriptTimeout)
	resp.Diagnostics.Append(diags...)
	if state.hasUnknownOutcome() {
		refuseUnknown(state, acceptCreation, nil, &resp.Diagnostics)
		return
	}
	if resp.Diagnostics.HasError() || !r.MayDelete(ctx, resp.Private, state.absent(), r.LooksAtInstance(state.InstanceID.ValueString()), &resp.Diagnostics) || state.DestroySQL.IsNull() {
		return
	}
	ran, err := r.run(ctx, state, state.DestroySQL.ValueString(), timeout)
	if !ran && (errors.Is(err, client.ErrNotFound) || errors.Is(err, client.ErrValidation)) {
		// If the engine or the database is confirmed to be gone, so is all that the script made.
		_, lookErr := r.refreshDatabase(ctx, state)
		if errors.Is(lookErr, client.ErrNotFound) {
			return
		}
		err = errors.Join(err, lookErr)
	}
	switch {
	case isLost(err) && !ran:
		resp.Diagnostics.AddError("Unable to run destroy_sql on instance "+state.InstanceID.ValueString(), diagnostics.Sentence(err.Error())+"\n\n"+
			"Check whether the statements took effect. If they did, run terraform state rm with the address of the resource, so that they are not run again. "+
			"If they did not, apply again.")
	default:
		addScriptError(&resp.Diagnostics, "Unable to run destroy_sql on instance "+state.InstanceID.ValueString(), ran, ofDestroySQL(err))
	}
}

// ImportState refuses the import and says what to do instead. The service keeps no record
// of scripts.
func (r *postgresScriptResource) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("A script cannot be imported",
		"The service keeps no record of what a script made. Remove the import, and apply: the script runs again, "+
			"which statements such as CREATE TABLE IF NOT EXISTS can do safely. If its statements must not run again, leave the resource out of the configuration.")
}

// replacing returns the arguments whose change replaces the script in a state. Without a
// database, it runs in the instance's own.
func (m postgresScriptModel) replacing(state postgresScriptModel) []base.ReplacingArgument {
	return []base.ReplacingArgument{
		{Name: "instance_id", State: state.InstanceID, Plan: m.InstanceID},
		{Name: "database", State: state.Database, Plan: m.Database, NullCounts: true},
	}
}

// isAnother reports whether the script must run, because it differs from the one that ran
// before. Write-only statements cannot be compared, so a change of their version decides.
func (m postgresScriptModel) isAnother(before postgresScriptModel) bool {
	if m.SQL.IsNull() {
		// In a state of unknown outcome, sql may have a version next to it.
		return before.SQL.ValueString() != "" || !m.SQLWOVersion.Equal(before.SQLWOVersion)
	}
	return !isSameSQL(m.SQL, before.SQL)
}

// isSameSQL reports whether two scripts are the same but for line endings, which depend on the
// checkout of a file, and white space at the ends.
func isSameSQL(a, b types.String) bool {
	if a.IsUnknown() || a.IsNull() || b.IsNull() {
		return a.Equal(b)
	}
	plain := func(sql types.String) string {
		return strings.TrimSpace(strings.ReplaceAll(sql.ValueString(), "\r\n", "\n"))
	}
	return plain(a) == plain(b)
}

// sql returns the statements to run. It reads write-only statements from the
// configuration, and keeps them and each string in them out of logs and errors from then
// on.
func (r *postgresScriptResource) sql(ctx context.Context, plan postgresScriptModel, config tfsdk.Config, diags *diag.Diagnostics) string {
	if !plan.SQL.IsNull() {
		return plan.SQL.ValueString()
	}
	var sql types.String
	diags.Append(config.GetAttribute(ctx, path.Root("sql_wo"), &sql)...)
	r.Client.HideStatement(sql.ValueString())
	for _, text := range literalsOf(sql.ValueString()) {
		r.Client.HideSecret(text)
	}
	return sql.ValueString()
}

// run waits for the instance's turn, and runs SQL with the console open.
func (r *postgresScriptResource) run(ctx context.Context, m postgresScriptModel, sql string, timeout time.Duration) (ran bool, err error) {
	err = base.InTurn(ctx, r.Client, m.InstanceID.ValueString(), timeout, func(ctx context.Context, turn *client.Turn) error {
		ran, err = (&console{client: r.Client, turn: turn}).query(ctx, m.Database.ValueString(), sql)
		return err
	})
	return ran, LocateError(err, sql)
}
