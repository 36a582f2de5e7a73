package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func (r *appResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: description,
			PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		}
	}
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "An app: a repository that the service imports, builds and runs on an instance with the apps engine. " +
			"Creating it waits until its first build is deployed and runs. A build that fails is an error with the end of its log, and the version that ran before goes on. " +
			"A version that is built but does not answer `health_path` with 200 within a minute is an error as well, which says what it answered, and **takes the app down**: " +
			"the version before it was stopped first, as both write `/data`. An apply that is interrupted during the first build keeps the app in the state, and the next one waits for the same build.",
		Attributes: map[string]schema.Attribute{
			"instance_id": instanceIDAttribute("the app's `/data` is lost"),
			"name":        replacingName("Name of the app: 1 to 40 lower case letters, digits and hyphens, the first of them a letter. A change replaces it: **the app's `/data` is lost**."),
			"repo": schema.StringAttribute{
				Required:   true,
				Validators: []validator.String{repository()},
				MarkdownDescription: "The repository as `owner/repo`, visible through the connected code-hosting integration. " +
					"A change replaces the app: **its `/data` is lost**.",
				PlanModifiers: []planmodifier.String{repoCase{}, replacesKnown()},
			},
			"branch": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Default:             stringdefault.StaticString("main"),
				Validators:          []validator.String{notEmpty()},
				MarkdownDescription: "The branch to build. Default `main`. A change builds and deploys in place.",
			},
			"port": schema.Int64Attribute{
				Optional:            true,
				Computed:            true,
				Default:             int64default.StaticInt64(3000),
				Validators:          []validator.Int64{numberRule{least: 1, most: 65535}},
				MarkdownDescription: "The port that the container listens on; it is given as `PORT`. Default `3000`. A change restarts the app.",
			},
			"health_path": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Default:             stringdefault.StaticString("/healthz"),
				Validators:          []validator.String{beginsWith("/")},
				MarkdownDescription: "The path that answers HTTP 200 without calling any dependency. Default `/healthz`. A change restarts the app.",
			},
			"public": schema.BoolAttribute{
				Optional:            true,
				Computed:            true,
				Default:             booldefault.StaticBool(false),
				MarkdownDescription: "Whether the app gets a public `url`. Default `false`. A change restarts the app.",
			},
			"env": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				Validators:  []validator.Map{noNullValue{}},
				MarkdownDescription: "Build variables. They are kept in the state in clear: use `secret_env_wo` for secrets. " +
					"Default: none. A change builds and deploys in place. The variables of an imported app are left alone until this is set; " +
					"from then on it and `secret_env_wo` are all that the app has.",
			},
			"secret_env_wo": schema.MapAttribute{
				Optional:    true,
				WriteOnly:   true,
				Sensitive:   true,
				ElementType: types.StringType,
				Validators:  []validator.Map{noNullValue{}, alsoNeeds("secret_env_wo", "secret_env_wo_version", mapvalidator.AlsoRequires(path.MatchRoot("secret_env_wo_version")))},
				MarkdownDescription: "Build variables that are secret. They are never kept in the state or a plan, " +
					"so a change of them is only seen by a change of `secret_env_wo_version`. No key may be in `env` too. " +
					"A key with the prefix `NEXT_PUBLIC_` is built into what browsers get, so the plan warns of it.",
			},
			"secret_env_wo_version": schema.Int64Attribute{
				Optional:            true,
				Validators:          []validator.Int64{alsoNeeds("secret_env_wo_version", "secret_env_wo", int64validator.AlsoRequires(path.MatchRoot("secret_env_wo")))},
				MarkdownDescription: "Any number; change it to send `secret_env_wo` again, which builds and deploys in place.",
			},
			"links": schema.SetAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				Validators:          []validator.Set{noEmpty{"engine"}},
				MarkdownDescription: "Engines that the app is linked to; `auth` links the auth engine. The plan warns of one that is off. Default: none. A change restarts the app.",
			},
			"memory_mb": schema.Int64Attribute{
				Optional:            true,
				Computed:            true,
				Validators:          []validator.Int64{numberRule{least: 1}},
				MarkdownDescription: "The app's memory in MB, at least the apps engine's floor in the plan list, and together with the instance's other apps at most the budget of the engine. Default: the service's. A change restarts the app; removing the argument keeps the present value.",
				PlanModifiers:       []planmodifier.Int64{int64planmodifier.UseNonNullStateForUnknown()},
			},
			"redeploy_triggers": schema.MapAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Any values; a change of them builds the branch's newest commit and deploys it in place. Default: none.",
			},
			"deploy_commit": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{commit()},
				MarkdownDescription: "The commit that should run: its hash, or at least the first 7 hexadecimal digits of it. After a change, or while another one is deployed, the plan builds the branch's newest commit and deploys it in place. " +
					"If that is not this one, an update ends with an error, and a creation with a warning. Default: any commit.",
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(true),
				MarkdownDescription: "Whether planning to destroy or replace the app, and its `/data` with it, is an error. Default `true`. " +
					"The value in the state counts, so lifting the protection takes an apply of its own. " +
					"An app that was never deployed is not protected.",
			},
			"url":      computed("Public URL of the app, as the service returned it. Null for an app that is not public."),
			"status":   computed("Status of the app: `building`, `running`, `failed` or `stopped`. A `postcondition` on it makes an apply that ends with a warning fail. It need not refuse `failed`: an apply that sees the app fail ends with an error that says why."),
			"build_id": computed("The build that is deployed: the newest one that was successful. A refresh asks for the app's builds, one request for each app."),
			"commit":   computed("The commit that is deployed, which is that of the build."),
			"created_at": schema.StringAttribute{
				Computed:            true,
				CustomType:          timetypes.RFC3339Type{},
				MarkdownDescription: "When the app was imported, in RFC 3339.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"timeouts": resourceTimeouts(ctx, timeouts.Opts{
				Create: true, CreateDescription: "How long to wait for the import and the first build. Default `30m`.",
				Update: true, UpdateDescription: "How long to wait for a change and its build. Default `30m`.",
				Delete: true, DeleteDescription: "How long to wait for the deletion. Default `20m`.",
			}),
		},
	}
}

// ValidateConfig refuses a variable that is both secret and not.
func (r *appResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config appModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		config.validate(&resp.Diagnostics)
	}
}

// validate checks that no variable is both secret and not.
func (m *appModel) validate(diags *diag.Diagnostics) {
	for key := range m.SecretEnvWO.Elements() {
		if _, both := m.Env.Elements()[key]; both {
			diags.AddAttributeError(path.Root("env").AtMapKey(key), "Duplicate variable",
				fmt.Sprintf("The variable %s is in both env and secret_env_wo. Keep it in one of them.", key))
		}
	}
}
