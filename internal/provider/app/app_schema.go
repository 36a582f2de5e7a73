package app

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

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
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
		MarkdownDescription: "Builds and runs a Git repository on an instance with the `apps` engine. Use one for each web app or worker. A worker must serve HTTP too: it listens on `port` and answers `health_path` with 200. A push alone deploys nothing.\n\n" +
			"Creating an app waits until its first build is deployed. " +
			"If a build fails, the apply fails and shows the end of the build's log. If a later build fails, the previous version keeps running. " +
			"After a successful build, the service stops the previous version before it starts the new one. " +
			"If the new one does not answer `health_path` with 200 within a minute, the apply fails and **the app is down**. " +
			"If an apply is interrupted during the first build, the next apply resumes waiting.",
		Attributes: map[string]schema.Attribute{
			"instance_id": base.InstanceIDAttribute("the app's `/data` is deleted"),
			"name": base.ReplacingName("Name: 1 to 40 lower case letters, digits and hyphens, beginning with a letter. Unique on its instance. A change replaces the app: " +
				"**its `/data` is deleted**."),
			"repo": schema.StringAttribute{
				Required:   true,
				Validators: []validator.String{attributes.Repository()},
				MarkdownDescription: "Repository as `owner/repo`, not as a URL. The account's code-hosting integration must have access to it. A change replaces the app: " +
					"**its `/data` is deleted**.",
				PlanModifiers: []planmodifier.String{attributes.Repository(), repoForm{}},
			},
			"branch": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Default:             stringdefault.StaticString("main"),
				Validators:          []validator.String{attributes.NotEmpty()},
				MarkdownDescription: "Branch to build. Default `main`. A change builds and deploys in place.",
			},
			"port": schema.Int64Attribute{
				Optional:            true,
				Computed:            true,
				Default:             int64default.StaticInt64(3000),
				Validators:          []validator.Int64{attributes.NumberRule{Least: 1, Most: 65535}},
				MarkdownDescription: "Port that the app listens on; the app receives it as `PORT`. Default `3000`. A change restarts the app.",
			},
			"health_path": schema.StringAttribute{
				Optional:      true,
				Computed:      true,
				Default:       stringdefault.StaticString("/healthz"),
				Validators:    []validator.String{attributes.BeginsWith("/")},
				PlanModifiers: []planmodifier.String{attributes.BeginsWith("/")},
				MarkdownDescription: "Path at which the app answers 200. The answer must not depend on other services. Begins with `/`. " +
					"Default `/healthz`. A change restarts the app.",
			},
			"public": schema.BoolAttribute{
				Optional:            true,
				Computed:            true,
				Default:             booldefault.StaticBool(false),
				MarkdownDescription: "Whether the app gets a public `url`. Default `false`. A change restarts the app.",
			},
			"env": schema.MapAttribute{
				Optional:      true,
				ElementType:   types.StringType,
				Validators:    []validator.Map{attributes.NoNullValue{}},
				PlanModifiers: []planmodifier.Map{lineEndings{}},
				MarkdownDescription: "Variables of the app and its builds, stored in the state in plain text; use `secret_env_wo` for secrets. Default: none. " +
					"A change builds and deploys in place; other line endings do not count as a change. After an import, the app keeps its variables until you set `env`. " +
					"The apply that sets it removes all variables that are not in the configuration. " +
					"For variables that somebody else has set or changed, the state and the plan show the names without the values.",
			},
			"secret_env_wo": schema.MapAttribute{
				Optional:    true,
				WriteOnly:   true,
				Sensitive:   true,
				ElementType: types.StringType,
				Validators:  []validator.Map{attributes.NoNullValue{}, attributes.AlsoNeeds("secret_env_wo", "secret_env_wo_version", mapvalidator.AlsoRequires(path.MatchRoot("secret_env_wo_version")))},
				MarkdownDescription: "Secret variables, kept out of the state. After you change one, change `secret_env_wo_version` to send it. No variable may be in both `env` and `secret_env_wo`. " +
					"If an imported app has other variables, set `env` too. The plan warns about names with the prefix `NEXT_PUBLIC_`, because browsers download those variables.",
			},
			"secret_env_wo_version": schema.Int64Attribute{
				Optional:            true,
				Validators:          []validator.Int64{attributes.AlsoNeeds("secret_env_wo_version", "secret_env_wo", int64validator.AlsoRequires(path.MatchRoot("secret_env_wo")))},
				MarkdownDescription: "Any number. If it changes, `secret_env_wo` is sent and the app is built and deployed in place.",
			},
			"links": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				Validators:  []validator.Set{attributes.NoEmptyElement{What: "engine"}},
				MarkdownDescription: "Engines to link; the service accepts `auth`. A link has no documented variables, so pass the instance's `auth_url` and `auth_anon_key` in `env`. " +
					"Default: none. A change restarts the app.",
			},
			"memory_mb": schema.Int64Attribute{
				Optional:   true,
				Computed:   true,
				Validators: []validator.Int64{attributes.NumberRule{Least: 1}},
				MarkdownDescription: "Memory in MB, at least the `floor_mb` of the `apps` engine in `hosting_plans`. " +
					"The memory of all apps together must fit the budget of the `apps` engine. " +
					"Default: set by the service. A change restarts the app. If you remove `memory_mb`, the current value is kept.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseNonNullStateForUnknown()},
			},
			"redeploy_triggers": schema.MapAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Map of any values. If the map changes, the newest commit of the branch is built and deployed in place. The first map after an import builds nothing. Default: none.",
			},
			"deploy_commit": schema.StringAttribute{
				Optional:      true,
				Validators:    []validator.String{attributes.CommitHash()},
				PlanModifiers: []planmodifier.String{attributes.CommitHash()},
				MarkdownDescription: "Commit hash (7 or more digits) that must run. If the running commit is a different one, for example after you change `deploy_commit`, an apply deploys the commit that `deploy_commit` names. " +
					"The service builds only the newest commit of `branch`: if `deploy_commit` names another, an update fails and a creation warns. Default: any commit.",
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(true),
				MarkdownDescription: "Refuses plans that destroy or replace the app and its `/data`. Default `true`. To delete: set `false`, apply, then destroy. " +
					"An app that was never deployed is not protected.",
			},
			"url": computed("Public URL. Null if the app is not public. It is known only after the creation, so `env` of the same app cannot contain it."),
			"status": computed("`building`, `running`, `failed` or `stopped`. If an apply ends with a warning that the creation is not finished, the status stays `building`. " +
				"To make such an apply fail, add a `postcondition`. If an apply finds that the app has failed, it ends with an error."),
			"build_id": computed("Id of the deployed build. To read it, each refresh sends one request per app."),
			"commit":   computed("Commit of the deployed build."),
			"created_at": schema.StringAttribute{
				Computed:            true,
				CustomType:          timetypes.RFC3339Type{},
				MarkdownDescription: "When the app was created, in RFC 3339.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"timeouts": attributes.ResourceTimeouts(ctx, timeouts.Opts{
				Create: true, CreateDescription: "How long to wait for the creation and the first build. Default `30m`.",
				Update: true, UpdateDescription: "How long to wait for a change and its build. Default `30m`.",
				Delete: true, DeleteDescription: "How long to wait for the deletion. Default `20m`.",
			}),
		},
	}
}

// ValidateConfig reports variables that are both in env and in secret_env_wo, and
// variables whose value is not known.
func (r *appResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config appModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		config.validate(&resp.Diagnostics)
	}
}

// validate reports variables that are both in env and in secret_env_wo, and variables that
// were copied from a state or a plan that does not have their values.
func (m *appModel) validate(diags *diag.Diagnostics) {
	for key := range m.SecretEnvWO.Elements() {
		if _, both := m.Env.Elements()[key]; both {
			diags.AddAttributeError(path.Root("env").AtMapKey(key), "Duplicate variable",
				fmt.Sprintf("The variable %s is in both env and secret_env_wo. Keep it in one of them.", key))
		}
	}
	for argument, variables := range map[string]types.Map{"env": m.Env, "secret_env_wo": m.SecretEnvWO} {
		for key, value := range variables.Elements() {
			if value.Equal(types.StringValue(hiddenVariable)) {
				diags.AddAttributeError(path.Root(argument).AtMapKey(key), "Value of a variable is not known",
					fmt.Sprintf("%q stands for a value of %s that Terraform has not set. Write the value itself.", hiddenVariable, key))
			}
		}
	}
}
