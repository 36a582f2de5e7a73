package provider

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func (r *instanceResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: description,
			PlanModifiers:       []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
		}
	}
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "A managed machine that carries engines. Creating one takes about 8 minutes. " +
			"For a paid plan the first apply ends at once with a warning that holds the checkout page's address; " +
			"open it and apply again, and the apply waits for the same creation. An apply that is interrupted while the instance is being created " +
			"keeps it in the state, and the next one goes on waiting.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The instance's identifier.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"name": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{notEmpty()},
				MarkdownDescription: "Name of the instance. Changed in place.",
			},
			"plan": schema.StringAttribute{
				Required:   true,
				Validators: []validator.String{notEmpty()},
				MarkdownDescription: "Plan of the instance, an id from the data source `hosting_plans`. Changed in place by resizing: " +
					"to a bigger plan before its engines change, to a smaller one after.",
			},
			"region": schema.StringAttribute{
				Required:   true,
				Validators: []validator.String{notEmpty()},
				MarkdownDescription: "Location of the machine, an id from the data source `hosting_locations`. " +
					"**A change replaces the instance, and all data on it is lost.**",
				PlanModifiers: []planmodifier.String{replacesKnown()},
			},
			"engines": schema.MapNestedAttribute{
				Required:   true,
				Validators: []validator.Map{mapvalidator.KeysAre(notEmpty()), noNullEngine()},
				MarkdownDescription: "The engines that are on, by name: `postgres`, `redis`, `couchdb`, `nats`, `apps` and `auth`, which needs `postgres` and `apps`. " +
					"The data source `hosting_plans` lists those that there are. One that is left out is off. " +
					"**Turning an engine off deletes its data.** One that somebody else has turned on is never turned off by a plan. Changed in place. " +
					"An engine without arguments is written `postgres = {}`; Terraform refuses `postgres = true` with the words \"object required\". " +
					"It drops an argument of an engine that it does not know without a word, so mind the spelling of `memory_mb`.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"memory_mb": schema.Int64Attribute{
						Optional:   true,
						Computed:   true,
						Validators: []validator.Int64{numberRule{least: 1}},
						MarkdownDescription: "Memory budget in MB, at least the engine's floor in `hosting_plans`. " +
							"Default: the floor. All budgets together must fit the plan. Changed in place; removing the argument keeps the present budget.",
						PlanModifiers: []planmodifier.Int64{int64planmodifier.UseNonNullStateForUnknown()},
					},
				}},
			},
			"tags": schema.SetAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				Validators:          []validator.Set{noEmpty{"tag"}},
				MarkdownDescription: "Tags of the instance, beside the provider's `default_tags`. Default: none. Changed in place.",
			},
			"tags_all": schema.SetAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "All tags of the instance: `tags` and the provider's `default_tags`.",
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(true),
				MarkdownDescription: "Whether planning to destroy or replace the instance, or to turn one of its engines off, is an error. Default `true`. " +
					"The value in the state counts, so lifting the protection takes an apply of its own. " +
					"An instance that never ran is not protected.",
			},
			"status": computed("Status of the instance: `creating`, `running`, `deleting` or `failed`. " +
				"An apply that ends with a warning leaves it at `creating`; a `postcondition` on it makes such an apply fail."),
			"host": computed("Host name that the engines answer at."),
			"checkout_url": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Page that finishes the creation of an instance of a paid plan. Null once it was opened, and for a free plan.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"created_at": schema.StringAttribute{
				Computed:            true,
				CustomType:          timetypes.RFC3339Type{},
				MarkdownDescription: "When the instance was created, in RFC 3339.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
			},
			"ca_certificate": computed("The instance's own CA certificate in PEM, for `sslmode=verify-full`. It is not secret."),
			"auth_url":       computed("Address of the auth engine, ending in `/auth/v1`. Null while the engine is off."),
			"auth_anon_key":  computed("Browser-safe key of the auth engine. It is not secret. Null while the engine is off."),
			"timeouts": resourceTimeouts(ctx, timeouts.Opts{
				Create: true, CreateDescription: "How long to wait for the creation. Default `30m`.",
				Update: true, UpdateDescription: "How long to wait for a change. Default `30m`.",
				Delete: true, DeleteDescription: "How long to wait for the deletion. Default `20m`.",
			}),
		},
	}
}

// ValidateConfig checks what needs no service to be asked.
func (r *instanceResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config instanceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		config.validate(&resp.Diagnostics)
	}
}

// validate checks that the engines which another one needs are on.
func (m *instanceModel) validate(diags *diag.Diagnostics) {
	engines, known := enginesOf(m.Engines)
	if !known || !has(engines, "auth") {
		return
	}
	missing := slices.DeleteFunc([]string{"postgres", "apps"}, func(name string) bool { return has(engines, name) })
	if len(missing) > 0 {
		diags.AddAttributeError(path.Root("engines").AtMapKey("auth"), "The auth engine needs "+strings.Join(missing, " and "),
			"The auth engine needs postgres and apps on the same instance. Add "+strings.Join(missing, " = {}, ")+" = {} to engines, or remove auth.")
	}
}

// instanceIdentity identifies an instance.
type instanceIdentity struct {
	ID types.String `tfsdk:"id"`
}

func (r *instanceResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"id": identityschema.StringAttribute{RequiredForImport: true, Description: "The instance's identifier."},
		},
	}
}

func (r *instanceResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if id, ok := r.importNamed(ctx, req, resp, importByInstance("id")); ok {
		r.requireInstance(ctx, "id", id[0], &resp.Diagnostics)
	}
}
