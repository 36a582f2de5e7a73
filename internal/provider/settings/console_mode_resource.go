package settings

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

var (
	_ resource.ResourceWithConfigure   = &consoleModeResource{}
	_ resource.ResourceWithImportState = &consoleModeResource{}
	_ resource.ResourceWithIdentity    = &consoleModeResource{}
	_ resource.ResourceWithModifyPlan  = &consoleModeResource{}
)

// NewConsoleModeResource returns the resource hosting_console_mode.
func NewConsoleModeResource() resource.Resource { return &consoleModeResource{newConsoleModeSetting()} }

func newConsoleModeSetting() consoleModeSetting {
	return consoleModeSetting{name: "console_mode", what: "console mode", engine: "postgres", service: settingService[string]{
		operation: client.OpConsole,
		send:      (*client.Turn).SetConsoleMode,
		recorded:  func(i client.Instance) string { return string(i.ConsoleMode.Value) },
		read:      (*client.Client).ConsoleMode,
		refresh:   (*client.Client).RefreshConsoleMode,
	}}
}

type consoleModeSetting = settingResource[consoleModeModel, string, *consoleModeModel]

type consoleModeResource struct{ consoleModeSetting }

type consoleModeModel struct {
	InstanceID types.String   `tfsdk:"instance_id"`
	Mode       types.String   `tfsdk:"mode"`
	Timeouts   timeouts.Value `tfsdk:"timeouts"`
}

func (r *consoleModeResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "The mode of an instance's SQL console in the portal. Create it to keep the console closed or read-only. An instance has one mode. " +
			"Destroying sets it to `off`.",
		Attributes: map[string]schema.Attribute{
			"instance_id": base.InstanceIDAttribute("the console of the former instance is set to `off`"),
			"mode": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{attributes.NotEmpty()},
				MarkdownDescription: "`off`, `ro`, `rw`, or another mode that the service has. With `ro`, Postgres itself refuses writes. Can be changed in place.",
			},
			"timeouts": settingTimeouts(ctx),
		},
	}
}

// ModifyPlan warns of a mode that is not documented.
func (r *consoleModeResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.DropRepeatedWarnings(!req.State.Raw.IsNull(), &resp.Diagnostics)
	r.consoleModeSetting.ModifyPlan(ctx, req, resp)
	state, plan, ok := base.Planning[consoleModeModel](ctx, req, &resp.Diagnostics)
	if ok && plan != nil && !plan.Mode.IsUnknown() && (state == nil || plan.differsFrom(state)) {
		attributes.WarnOfWord(&resp.Diagnostics, path.Root("mode"), "console mode", plan.Mode.ValueString(), client.ConsoleOff, client.ConsoleReadOnly, client.ConsoleReadWrite)
	}
}

func (m *consoleModeModel) instance() types.String { return m.InstanceID }

func (m *consoleModeModel) timeouts() timeouts.Value { return m.Timeouts }

func (m *consoleModeModel) differsFrom(prior *consoleModeModel) bool {
	return !m.Mode.Equal(prior.Mode)
}

func (m *consoleModeModel) setting(*consoleModeModel) string { return m.Mode.ValueString() }

func (m *consoleModeModel) setRecord(mode string) {
	if mode != "" {
		m.Mode = types.StringValue(mode)
	}
}

func (m *consoleModeModel) matches(_ *consoleModeModel, mode string) bool {
	return mode == "" || mode == m.Mode.ValueString()
}

func (m *consoleModeModel) tells(mode string) bool { return mode != "" }

func (m *consoleModeModel) forget() { m.Mode = types.StringNull() }

func (m *consoleModeModel) reset() bool {
	m.Mode = types.StringValue(client.ConsoleOff)
	return true
}
