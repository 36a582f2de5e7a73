package instance

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

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
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
		MarkdownDescription: "A machine that runs Postgres, Redis, CouchDB, NATS, apps and auth. Create one first: databases, apps and settings belong to an instance. " +
			"**Until it has an allowlist, any address may connect**; add a `hosting_allowlist`.\n\nCreating an instance takes about 8 minutes. " +
			"On a paid plan, the first apply ends with a warning. Open the checkout page that it names, pay, and apply again. " +
			"If an apply is interrupted during the creation, the next apply resumes waiting.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The instance's identifier.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"name": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{attributes.NotEmpty()},
				MarkdownDescription: "Name, 1 to 100 characters. It need not be unique. Can be changed in place.",
			},
			"plan": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{attributes.NotEmpty()},
				MarkdownDescription: "Plan, an id from the data source `hosting_plans`. A change resizes the instance in place.",
			},
			"region": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{attributes.NotEmpty()},
				MarkdownDescription: "Location, an id from the data source `hosting_locations`. **A change replaces the instance and deletes all of its data.**",
			},
			"engines": schema.MapNestedAttribute{
				Required:   true,
				Validators: []validator.Map{mapvalidator.KeysAre(attributes.NotEmpty()), noNullEngine()},
				MarkdownDescription: "Engines to run, by name: `postgres`, `redis`, `couchdb`, `nats`, `apps` and `auth`. The engine `auth` needs `postgres` and `apps`. " +
					"Engines you omit are not turned on. Can be changed in place. Removing one **deletes its data**. If an engine is on that the configuration never had, " +
					"for example after an import, plans fail until you add it to `engines` or turn it off in the portal.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"memory_mb": schema.Int64Attribute{
						Optional:   true,
						Computed:   true,
						Validators: []validator.Int64{attributes.NumberRule{Least: 1}},
						MarkdownDescription: "Memory budget in MB. Default and minimum: the engine's `floor_mb` in `hosting_plans`. " +
							"The budgets of all engines together must fit the plan. Can be changed in place. If you remove `memory_mb`, the current value is kept.",
						PlanModifiers: []planmodifier.Int64{int64planmodifier.UseNonNullStateForUnknown()},
					},
				}},
			},
			"tags": schema.SetAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				Validators:          []validator.Set{attributes.NoEmptyElement{What: "tag"}},
				MarkdownDescription: "Tags, in addition to the provider's `default_tags`. Default: none. Can be changed in place.",
			},
			"tags_all": schema.SetAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "All tags: `tags` and the provider's `default_tags`.",
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(true),
				MarkdownDescription: "Refuses plans that destroy or replace the instance, or turn off one of its engines. Default `true`. To delete: set `false`, apply, then destroy. " +
					"An instance that never ran is not protected.",
			},
			"status": computed("`creating`, `running`, `deleting` or `failed`. If an apply ends with a warning that the creation is not finished, the status stays `creating`. " +
				"To make such an apply fail, add a `postcondition`."),
			"host": computed("Host name of the engines."),
			"checkout_url": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Checkout page of an instance on a paid plan. Null after the checkout, and on a free plan.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"created_at": schema.StringAttribute{
				Computed:            true,
				CustomType:          timetypes.RFC3339Type{},
				MarkdownDescription: "When the instance was created, in RFC 3339.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
			},
			"ca_certificate": computed("The instance's CA certificate in PEM, for `sslmode=verify-full`. Not secret."),
			"auth_url":       computed("URL of the auth engine, ending in `/auth/v1`. Null while the engine is off."),
			"auth_anon_key":  computed("The auth engine's key for browsers. Not secret. Null while the engine is off."),
			"timeouts": attributes.ResourceTimeouts(ctx, timeouts.Opts{
				Create: true, CreateDescription: "How long to wait for the creation. Default `30m`.",
				Update: true, UpdateDescription: "How long to wait for a change. Default `30m`.",
				Delete: true, DeleteDescription: "How long to wait for the deletion. Default `20m`.",
			}),
		},
	}
}

// ValidateConfig makes the checks that need no request to the service.
func (r *instanceResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config instanceModel
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("engines"), &config.Engines)...)
	if !resp.Diagnostics.HasError() {
		config.validate(&resp.Diagnostics)
	}
}

// validate checks that the engines on which another engine depends are on.
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
	if id, ok := r.ImportNamed(ctx, req, resp, base.ImportByInstance("id")); ok {
		r.RequireInstance(ctx, "id", id[0], &resp.Diagnostics)
	}
}
