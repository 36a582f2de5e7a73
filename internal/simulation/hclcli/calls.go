package hclcli

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation/objchange"
)

// An object is one object in the state.
type object struct {
	kind     string
	block    string // the address of its block
	provider string // the alias
	value    cty.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	tainted  bool
	needs    []string // the blocks that it needed when it was made, directly or not
}

func (r *run) serverOf(alias string) tfprotov6.ProviderServer {
	if s := r.servers[alias]; s != nil {
		return s
	}
	return r.servers[""]
}

func (c *change) provider() string {
	if c.block != nil {
		return c.block.provider
	}
	return c.before.provider
}

// valid lets the provider validate the configuration of a block.
func (r *run) valid(address string, b *block, config cty.Value) bool {
	if b.kind == "terraform_data" {
		return true
	}
	server, encoded := r.serverOf(b.provider), dynamic(config, schemaOf(b).value)
	switch b.mode {
	case "data":
		answer, err := server.ValidateDataResourceConfig(r.ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: b.kind, Config: encoded})
		return !r.bad(address, err, answer.Diagnostics)
	case "ephemeral":
		answer, err := server.ValidateEphemeralResourceConfig(r.ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{
			TypeName: b.kind, Config: encoded,
		})
		return !r.bad(address, err, answer.Diagnostics)
	}
	answer, err := server.ValidateResourceConfig(r.ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: b.kind, Config: encoded,
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	return !r.bad(address, err, answer.Diagnostics)
}

// refresh reads an object. It returns nil if the object does not exist.
func (r *run) refresh(address string, o *object) (*object, bool) {
	if o == nil || o.kind == "terraform_data" {
		return o, true
	}
	prior, ok := r.upgrade(address, o)
	if !ok {
		return nil, false
	}
	now := *o
	if now.value = prior; !r.flags.noRefresh && !r.read(address, &now) {
		return nil, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.value.IsNull() {
		r.refreshed[address], r.gone[address] = nil, &now
		return nil, true
	}
	r.refreshed[address] = &now
	return &now, true
}

// read reads an object and changes it. An object that does not exist gets the value null.
func (r *run) read(address string, o *object) bool {
	s := schemaOfKind("resource", o.kind)
	answer, err := r.serverOf(o.provider).ReadResource(r.ctx, &tfprotov6.ReadResourceRequest{
		TypeName: o.kind, CurrentState: dynamic(o.value, s.value), Private: o.private, CurrentIdentity: o.identity,
	})
	if r.bad(address, err, answer.Diagnostics) {
		return false
	}
	o.value, o.private, o.identity = decoded(answer.NewState, s.value), answer.Private, identity(answer.NewIdentity)
	return true
}

func (r *run) upgrade(address string, o *object) (cty.Value, bool) {
	s := schemaOfKind("resource", o.kind)
	text, err := ctyjson.Marshal(o.value, s.value)
	if err != nil {
		panic(err) // a state is wholly known
	}
	answer, err := r.serverOf(o.provider).UpgradeResourceState(r.ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: o.kind, Version: s.version, RawState: &tfprotov6.RawState{JSON: text},
	})
	if r.bad(address, err, answer.Diagnostics) {
		return cty.NilVal, false
	}
	return decoded(answer.UpgradedState, s.value), true
}

// identity returns an identity in a CLI's form: an empty one is nil.
func identity(given *tfprotov6.ResourceIdentityData) *tfprotov6.ResourceIdentityData {
	if given == nil || given.IdentityData == nil {
		return nil
	}
	if null, err := given.IdentityData.IsNull(); err != nil || null {
		return nil
	}
	return given
}

func (r *run) readData(address string, b *block, config cty.Value) bool {
	if !r.valid(address, b, config) {
		return false
	}
	s := schemaOf(b)
	answer, err := r.serverOf(b.provider).ReadDataSource(r.ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: b.kind, Config: dynamic(config, s.value),
	})
	if r.bad(address, err, answer.Diagnostics) {
		return false
	}
	r.know(address, decoded(answer.State, s.value))
	return true
}

// open opens an ephemeral resource. One whose arguments are not known stays unknown.
func (r *run) open(address string, b *block, own map[string]cty.Value) bool {
	config, ok := r.configOf(address, b, own)
	if !ok || !config.IsWhollyKnown() {
		return ok
	}
	if !r.valid(address, b, config) {
		return false
	}
	s := schemaOf(b)
	answer, err := r.serverOf(b.provider).OpenEphemeralResource(r.ctx, &tfprotov6.OpenEphemeralResourceRequest{
		TypeName: b.kind, Config: dynamic(config, s.value),
	})
	if r.bad(address, err, answer.Diagnostics) {
		return false
	}
	r.know(address, decoded(answer.Result, s.value))
	return true
}

// imported imports the object that an import block names. It returns nil if there is none.
func (r *run) imported(address string, b *block) (*object, bool) {
	for _, one := range r.config.imports {
		if one.to != address || r.cli.object(address) != nil {
			continue
		}
		id, ok := r.evaluate(address, one.id, nil)
		if !ok {
			return nil, false
		}
		return r.importAs(address, b, id.AsString())
	}
	return nil, true
}

func (r *run) importNow(address, id string) {
	b := r.config.blocks[address]
	if o, ok := r.importAs(address, b, id); ok {
		r.cli.save(map[string]*object{address: o})
	}
}

func (r *run) importAs(address string, b *block, id string) (*object, bool) {
	answer, err := r.serverOf(b.provider).ImportResourceState(r.ctx, &tfprotov6.ImportResourceStateRequest{TypeName: b.kind, ID: id})
	if r.bad(address, err, answer.Diagnostics) {
		return nil, false
	}
	one := answer.ImportedResources[0]
	o := &object{kind: b.kind, block: b.address(), provider: b.provider, private: one.Private, identity: identity(one.Identity)}
	if o.value = decoded(one.State, schemaOf(b).value); !r.read(address, o) {
		return nil, false
	}
	if o.value.IsNull() {
		r.hear(Diagnostic{Severity: "error", Summary: "Cannot import non-existent remote object", Address: address})
		return nil, false
	}
	r.mu.Lock()
	r.refreshed[address] = o
	r.mu.Unlock()
	return o, true
}

// askForPlan asks for the plan of a change from a prior state, and reports whether it
// requires a replacement. again is true in an apply, which plans a second time.
func (r *run) askForPlan(c *change, from cty.Value, again bool) (replaces, ok bool) {
	if c.kind == "terraform_data" {
		return planTerraformData(c, from), true
	}
	s := schemaOfKind("resource", c.kind)
	wanted := cty.NullVal(s.value)
	if !c.config.IsNull() {
		merged := objchange.Proposed(s.protocol, objchange.Attributes(wire(from, s)), objchange.Attributes(wire(c.config, s)))
		wanted = unwired(tftypes.NewValue(s.wire, merged), s)
	}
	answer, err := r.serverOf(c.provider()).PlanResourceChange(r.ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: c.kind, PriorState: dynamic(from, s.value), ProposedNewState: dynamic(wanted, s.value), Config: dynamic(c.config, s.value),
		PriorPrivate: c.private, PriorIdentity: c.identity,
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: again}, // as Terraform says there, and only there
	})
	if r.bad(c.address, err, answer.Diagnostics) {
		return false, false
	}
	c.planned, c.private, c.identity = decoded(answer.PlannedState, s.value), answer.PlannedPrivate, identity(answer.PlannedIdentity)
	if c.config.IsNull() {
		return false, true
	}
	before, after := wire(from, s), wire(c.planned, s)
	config := objchange.Attributes(wire(c.config, s))
	if wrong := objchange.Misplanned(s.protocol, objchange.Attributes(before), config, objchange.Attributes(after)); wrong != "" {
		r.cli.Violation("Provider produced invalid plan: %s: %s", c.address, wrong)
	}
	for _, path := range answer.RequiresReplace {
		was, _, _ := tftypes.WalkAttributePath(before, path)
		is, _, _ := tftypes.WalkAttributePath(after, path)
		one, wasValue := was.(tftypes.Value)
		other, isValue := is.(tftypes.Value)
		replaces = replaces || !from.IsNull() && (!wasValue || !isValue || !one.Equal(other))
	}
	return replaces, true
}

// applyOne carries a change out. It returns what is to be in the state, or nil.
func (r *run) applyOne(c *change, created bool) (*object, bool) {
	if c.kind == "terraform_data" {
		return applyTerraformData(c), true
	}
	s := schemaOfKind("resource", c.kind)
	answer, err := r.serverOf(c.provider()).ApplyResourceChange(r.ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: c.kind, PriorState: dynamic(c.prior, s.value), PlannedState: dynamic(c.planned, s.value), Config: dynamic(c.config, s.value),
		PlannedPrivate: c.private, PlannedIdentity: c.identity,
	})
	bad := r.bad(c.address, err, answer.Diagnostics)
	v := decoded(answer.NewState, s.value)
	if !bad && !c.planned.IsNull() {
		if wrong := departs(s, c.planned, v, true); wrong != "" {
			r.cli.Violation("Provider produced inconsistent result after apply: %s%s", c.address, wrong)
		}
	}
	if v.IsNull() {
		return nil, !bad
	}
	if !v.IsWhollyKnown() {
		if !bad {
			r.cli.Violation("%s has unknown values after the apply", c.address)
		}
		v = cty.UnknownAsNull(v)
	}
	made := &object{kind: c.kind, provider: c.provider(), value: v, private: answer.Private, identity: identity(answer.NewIdentity)}
	made.tainted = bad && created
	return made, !bad
}

func departs(s schema, planned, is cty.Value, final bool) string {
	if s.wire == nil {
		return ""
	}
	return objchange.Departs(wire(planned, s), wire(is, s), final)
}

// planTerraformData plans the built-in resource terraform_data.
func planTerraformData(c *change, from cty.Value) (replaces bool) {
	if c.config.IsNull() {
		c.planned = c.config
		return false
	}
	wanted := c.config.AsValueMap()
	wanted["id"], wanted["output"] = cty.UnknownVal(cty.String), cty.DynamicVal
	if !from.IsNull() {
		before := from.AsValueMap()
		wanted["id"] = before["id"]
		if wanted["input"].RawEquals(before["input"]) {
			wanted["output"] = before["output"]
		}
		replaces = !wanted["triggers_replace"].RawEquals(before["triggers_replace"])
	} else if wanted["input"].IsNull() {
		wanted["output"] = cty.NullVal(cty.DynamicPseudoType)
	}
	c.planned = cty.ObjectVal(wanted)
	return replaces
}

func applyTerraformData(c *change) *object {
	if c.planned.IsNull() {
		return nil
	}
	members := c.planned.AsValueMap()
	if !members["id"].IsKnown() {
		members["id"] = cty.StringVal("data-1")
	}
	members["output"] = members["input"]
	return &object{kind: c.kind, value: cty.ObjectVal(members)}
}
