package settings

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

var (
	_ resource.ResourceWithConfigure   = &allowlistResource{}
	_ resource.ResourceWithImportState = &allowlistResource{}
	_ resource.ResourceWithIdentity    = &allowlistResource{}
	_ resource.ResourceWithModifyPlan  = &allowlistResource{}
)

// Values of on_destroy.
const (
	onDestroyKeep = "keep"
	onDestroyOpen = "open"
)

// NewAllowlistResource returns the resource hosting_allowlist.
func NewAllowlistResource() resource.Resource { return &allowlistResource{newAllowlistSetting()} }

func newAllowlistSetting() allowlistSetting {
	return allowlistSetting{name: "allowlist", what: "allowlist", service: settingService[client.Maybe[[]string]]{
		operation: client.OpAllowlist,
		delay:     time.Minute, // SERVICE.md: in effect within a minute
		send: func(turn *client.Turn, ctx context.Context, list client.Maybe[[]string]) (client.Pending, error) {
			return turn.SetAllowlist(ctx, list.Value)
		},
		recorded: func(i client.Instance) client.Maybe[[]string] { return i.Allowlist },
		read:     (*client.Client).Allowlist,
		refresh:  (*client.Client).RefreshAllowlist,
	}, lost: (*allowlistModel).lost}
}

type allowlistSetting = settingResource[allowlistModel, client.Maybe[[]string], *allowlistModel]

type allowlistResource struct{ allowlistSetting }

type allowlistModel struct {
	InstanceID types.String   `tfsdk:"instance_id"`
	CIDRs      types.Set      `tfsdk:"cidrs"`
	OnDestroy  types.String   `tfsdk:"on_destroy"`
	Timeouts   timeouts.Value `tfsdk:"timeouts"`
}

func (r *allowlistResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "The addresses that may reach an instance's engines. Create one for every instance: until then, any address may connect. " +
			"An instance has one list, and a change takes effect within a minute. TLS and a password are always required. " +
			"Public apps are reached by their URL and are not affected.",
		Attributes: map[string]schema.Attribute{
			"instance_id": base.InstanceIDAttribute("`on_destroy` decides what happens to the list of the old instance"),
			"cidrs": schema.SetAttribute{
				Required:            true,
				ElementType:         types.StringType,
				Validators:          []validator.Set{attributes.NoEmptyElement{What: "address"}, cidrSet{}},
				PlanModifiers:       []planmodifier.Set{cidrSet{}},
				MarkdownDescription: "IPv4 and IPv6 addresses and CIDR blocks. **An empty set, `0.0.0.0/0` and `::/0` open the instance to the internet**; the plan warns. Can be changed in place.",
			},
			"on_destroy": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Default:             stringdefault.StaticString(onDestroyKeep),
				Validators:          []validator.String{attributes.OneOf("on_destroy", onDestroyKeep, onDestroyOpen)},
				MarkdownDescription: "Effect of a destroy: `keep` leaves the list in effect, and `open` empties it, which opens the instance to the internet. Default `keep`.",
			},
			"timeouts": settingTimeouts(ctx),
		},
	}
}

// ModifyPlan warns if a plan opens the instance to the internet, or destroys the
// allowlist and leaves it in effect.
func (r *allowlistResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.DropRepeatedWarnings(!req.State.Raw.IsNull(), &resp.Diagnostics)
	r.allowlistSetting.ModifyPlan(ctx, req, resp)
	state, plan, ok := base.Planning[allowlistModel](ctx, req, &resp.Diagnostics)
	if !ok {
		return
	}
	before := ""
	switch {
	case state == nil:
	case plan != nil && len(resp.RequiresReplace) == 0:
		before = state.opens()
	case state.OnDestroy.ValueString() == onDestroyOpen:
		resp.Diagnostics.AddWarning(opensInstance,
			"The "+r.of(state)+" is destroyed with on_destroy = \"open\", which empties the list: any address can then reach the instance. TLS and a password are still required.")
	default:
		resp.Diagnostics.AddWarning("The allowlist is not emptied",
			"The "+r.of(state)+" is destroyed with on_destroy = \"keep\": Terraform forgets the list, and the instance keeps it for as long as it exists.")
	}
	if plan == nil {
		return
	}
	of := r.what
	if !plan.InstanceID.IsUnknown() {
		of = r.of(plan)
	}
	if state != nil && before != allAddresses && (plan.CIDRs.IsUnknown() || hasUnknown(plan.CIDRs)) {
		// The apply plans again with the known list, and drops the warning as repeated.
		resp.Diagnostics.AddAttributeWarning(path.Root("cidrs"), "The instance may be open to the internet",
			"The planned "+of+" is known after apply. If it is empty, or has 0.0.0.0/0 or ::/0, any address can then reach the instance. TLS and a password are still required.")
	}
	if after := plan.opens(); opensMore(before, after) {
		resp.Diagnostics.AddAttributeWarning(path.Root("cidrs"), opensInstance,
			fmt.Sprintf("The planned %s lets %s reach the instance. TLS and a password are still required.", of, after))
	}
}

const opensInstance = "The instance will be open to the internet"

// opens names the kinds of addresses that the list lets in completely, or returns "" if
// there are none. It also returns "" for a list that was never read.
func (m *allowlistModel) opens() string {
	switch {
	case m.CIDRs.IsNull(), m.CIDRs.IsUnknown():
		return ""
	case len(m.CIDRs.Elements()) == 0:
		return allAddresses
	}
	return opensTo(attributes.ElementsOf(m.CIDRs))
}

func (m *allowlistModel) instance() types.String { return m.InstanceID }

func (m *allowlistModel) timeouts() timeouts.Value { return m.Timeouts }

// differsFrom takes the same addresses in another form for no change. No plan modifier does:
// an element that is only known at the apply would then change the planned form of the others.
func (m *allowlistModel) differsFrom(prior *allowlistModel) bool {
	return prior.CIDRs.IsNull() || !client.SameCIDRs(attributes.ElementsOf(m.CIDRs), attributes.ElementsOf(prior.CIDRs))
}

func (m *allowlistModel) setting(*allowlistModel) client.Maybe[[]string] {
	return client.Some(attributes.Sorted(attributes.ElementsOf(m.CIDRs)))
}

func (m *allowlistModel) matches(_ *allowlistModel, list client.Maybe[[]string]) bool {
	return !list.Set || client.SameCIDRs(list.Value, attributes.ElementsOf(m.CIDRs))
}

func (m *allowlistModel) tells(list client.Maybe[[]string]) bool { return list.Set }

func (m *allowlistModel) lost(list client.Maybe[[]string]) (lost []string) {
	kept := attributes.ElementsOf(m.CIDRs)
	for _, cidr := range list.Value {
		if !slices.ContainsFunc(kept, func(k string) bool { return client.SameCIDRs([]string{k}, []string{cidr}) }) {
			lost = append(lost, cidr)
		}
	}
	return lost
}

func (m *allowlistModel) forget() { m.CIDRs = types.SetNull(types.StringType) }

func (m *allowlistModel) reset() bool {
	m.CIDRs = types.SetValueMust(types.StringType, nil)
	return m.OnDestroy.ValueString() == onDestroyOpen
}

// setRecord takes over the service's list. A list with the same meaning keeps its
// spelling. If the record has no list, the value is kept.
func (m *allowlistModel) setRecord(list client.Maybe[[]string]) {
	if m.OnDestroy.IsNull() {
		m.OnDestroy = types.StringValue(onDestroyKeep) // imported: only the provider knows it
	}
	if list.Set && (m.CIDRs.IsNull() || !client.SameCIDRs(attributes.ElementsOf(m.CIDRs), list.Value)) {
		m.CIDRs = attributes.SetOf(client.DistinctCIDRs(list.Value), types.SetValueMust(types.StringType, nil))
	}
}
