package provider

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/instance-hosting/terraform-provider-hosting/internal/wire"
)

// Most of what a plan asks of a provider changes nothing. A shortcut answers that
// without the framework, in the framework's own words, where it is certain what they
// would be. Where it is not, it answers nothing, and the framework does.
//
// What the framework would do is read off the schema: the defaults, plan modifiers
// and validators of its attributes, each of a kind whose effect on a value is known.
// What the resource would do, it says itself.

// An unchanging resource says what it does of itself where nothing changes. M is its
// model, and every value in it is known.
type unchanging[M any] interface {
	resource.Resource

	// planUnchanged does what ModifyPlan does where the plan is the state m, and no
	// write-only argument is set. It is false, before it has done anything that
	// counts, where ModifyPlan would do more than write into private state.
	planUnchanged(ctx context.Context, m *M, private privateState, diags *diag.Diagnostics) bool

	// hasCurrentNote and plansNoAccountCheck are those of resourceBase.
	hasCurrentNote(ctx context.Context, private privateState, diags *diag.Diagnostics) bool
	plansNoAccountCheck(ctx context.Context, private privateState, diags *diag.Diagnostics) bool

	// readRecord reads into m what Read would, asking by way of once. It is false
	// where Read would do anything else, such as write into private state.
	readRecord(ctx context.Context, m *M, private privateState, diags *diag.Diagnostics) bool
}

// A modelRule is what the model of a resource with ValidateConfig checks in it.
type modelRule interface {
	validate(diags *diag.Diagnostics)
}

// A shortcut answers the calls about resources of one type. Each answer is nil, or
// false, where the framework has to answer.
type shortcut interface {
	isValid(context.Context, *tfprotov6.ValidateResourceConfigRequest) bool
	upgrade(*tfprotov6.UpgradeResourceStateRequest) *tfprotov6.UpgradeResourceStateResponse
	read(context.Context, resourceData, *tfprotov6.ReadResourceRequest) *tfprotov6.ReadResourceResponse
	plan(context.Context, resourceData, *tfprotov6.PlanResourceChangeRequest) *tfprotov6.PlanResourceChangeResponse
}

// shortcuts are those of all types, by name.
func shortcuts() map[string]func() shortcut {
	return map[string]func() shortcut{
		"hosting_account_profile":    shortcutOf[accountProfileModel](newAccountProfileResource),
		"hosting_allowlist":          shortcutOf[allowlistModel](newAllowlistResource),
		"hosting_app":                shortcutOf[appModel](newAppResource),
		"hosting_auth_settings":      shortcutOf[authSettingsModel](newAuthSettingsResource),
		"hosting_console_mode":       shortcutOf[consoleModeModel](newConsoleModeResource),
		"hosting_instance":           shortcutOf[instanceModel](newInstanceResource),
		"hosting_postgres_database":  shortcutOf[postgresDatabaseModel](newPostgresDatabaseResource),
		"hosting_postgres_extension": shortcutOf[postgresExtensionModel](newPostgresExtensionResource),
		"hosting_postgres_script":    shortcutOf[postgresScriptModel](newPostgresScriptResource),
		"hosting_webhook_endpoint":   shortcutOf[webhookEndpointModel](newWebhookEndpointResource),
	}
}

// shortcutOf is made of a type's schema when it is first needed; nil where the schema
// has something that is not known here.
func shortcutOf[M any](newResource func() resource.Resource) func() shortcut {
	return sync.OnceValue(func() shortcut {
		if s, ok := newShortcut[M](newResource); ok {
			return s
		}
		return nil
	})
}

// A modelShortcut is the shortcut of a type with the model M.
type modelShortcut[M any] struct {
	newResource func() resource.Resource
	version     int64
	object      *wire.Object
	model       wire.Model[M]
	rules       []attributeRules // in the order of the object's names
	identity    []int            // the attributes that identify the resource; nil for none
	plans       bool             // what the schema says of a plan is known
	validates   bool             // what is said of a configuration is known
}

func newShortcut[M any](newResource func() resource.Resource) (*modelShortcut[M], bool) {
	ctx, r := context.Background(), newResource()
	var of resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &of)
	attributeTypes := map[string]attr.Type{}
	for name, attribute := range of.Schema.Attributes {
		attributeTypes[name] = attribute.GetType()
	}
	object, ok := wire.NewObject(attributeTypes)
	if !ok || len(of.Schema.Blocks) > 0 {
		return nil, false
	}
	s := &modelShortcut[M]{newResource: newResource, version: of.Schema.Version, object: object, plans: true}
	if s.model, ok = wire.NewModel[M](object); !ok {
		return nil, false
	}
	s.validates = of.Schema.DeprecationMessage == "" && rulesAreInTheModel[M](r)
	for _, name := range object.Names() {
		rules := newAttributeRules(name, of.Schema.Attributes[name])
		s.rules = append(s.rules, rules)
		s.plans, s.validates = s.plans && rules.plans, s.validates && rules.valid != nil
	}
	return s, s.identify(r)
}

// rulesAreInTheModel tells whether all that a resource checks in its configuration,
// beside its schema, is what its model checks.
func rulesAreInTheModel[M any](r resource.Resource) bool {
	_, others := r.(resource.ResourceWithConfigValidators)
	_, checks := r.(resource.ResourceWithValidateConfig)
	_, inModel := any(new(M)).(modelRule)
	return !others && checks == inModel
}

// identify finds the attributes of the resource's identity, each a string of the same
// name in its state.
func (s *modelShortcut[M]) identify(r resource.Resource) bool {
	identified, ok := r.(resource.ResourceWithIdentity)
	if !ok {
		return true
	}
	var of resource.IdentitySchemaResponse
	identified.IdentitySchema(context.Background(), resource.IdentitySchemaRequest{}, &of)
	for name, attribute := range of.IdentitySchema.Attributes {
		at, found := slices.BinarySearch(s.object.Names(), name)
		_, isString := attribute.(identityschema.StringAttribute)
		if !found || !isString || reflect.TypeOf(s.rules[at].of) != reflect.TypeFor[schema.StringAttribute]() {
			return false
		}
		s.identity = append(s.identity, at)
	}
	slices.Sort(s.identity)
	return true
}

// configured is a resource of the type, as the framework makes one for each call.
func (s *modelShortcut[M]) configured(data resourceData) (unchanging[M], bool) {
	r, ok := s.newResource().(unchanging[M])
	if configurable, is := r.(resource.ResourceWithConfigure); ok && is {
		configurable.Configure(context.Background(), resource.ConfigureRequest{ProviderData: data}, &resource.ConfigureResponse{})
	}
	return r, ok
}

func (s *modelShortcut[M]) isValid(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) bool {
	if !s.validates {
		return false
	}
	config, ok := s.object.Values(req.Config)
	if !ok {
		return false
	}
	given := configuration{names: s.object.Names(), values: config, writeOnly: req.ClientCapabilities != nil && req.ClientCapabilities.WriteOnlyAttributesAllowed}
	for i, rules := range s.rules {
		if !rules.valid(ctx, config[i], given) {
			return false
		}
	}
	model := s.model.Of(config)
	if rule, ok := any(&model).(modelRule); ok {
		var diags diag.Diagnostics
		rule.validate(&diags)
		return len(diags) == 0
	}
	return true
}

func (s *modelShortcut[M]) upgrade(req *tfprotov6.UpgradeResourceStateRequest) *tfprotov6.UpgradeResourceStateResponse {
	if req.Version != s.version || req.RawState == nil || req.RawState.JSON == nil {
		return nil
	}
	state, ok := s.object.FromJSON(req.RawState.JSON)
	if !ok {
		return nil
	}
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &tfprotov6.DynamicValue{MsgPack: state}}
}

func (s *modelShortcut[M]) read(ctx context.Context, data resourceData, req *tfprotov6.ReadResourceRequest) *tfprotov6.ReadResourceResponse {
	r, ok := s.configured(data)
	if !ok {
		return nil
	}
	state, ok := s.state(req.CurrentState)
	if !ok {
		return nil
	}
	private, ok := readPrivateState(req.Private)
	if !ok {
		return nil
	}
	identity, ok := s.identityOf(state)
	if !ok || !isNone(req.CurrentIdentity) && !sameIdentity(req.CurrentIdentity, identity) {
		return nil
	}
	var diags diag.Diagnostics
	model := s.model.Of(state)
	if !r.readRecord(ctx, &model, private, &diags) || len(diags) > 0 || !s.model.Same(model, state) || !r.hasCurrentNote(ctx, private, &diags) || len(diags) > 0 {
		return nil
	}
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, NewIdentity: identity, Private: private.encoded()}
}

func (s *modelShortcut[M]) plan(ctx context.Context, data resourceData, req *tfprotov6.PlanResourceChangeRequest) *tfprotov6.PlanResourceChangeResponse {
	if !s.plans || req.PriorState == nil || req.ProposedNewState == nil || !bytes.Equal(req.PriorState.MsgPack, req.ProposedNewState.MsgPack) {
		return nil
	}
	r, ok := s.configured(data)
	if !ok {
		return nil
	}
	state, ok := s.state(req.PriorState)
	if !ok {
		return nil
	}
	config, ok := s.object.Values(req.Config)
	if !ok {
		return nil
	}
	for i, rules := range s.rules {
		if !rules.keeps(state[i], config[i]) {
			return nil
		}
	}
	identity := req.PriorIdentity
	switch {
	case s.identity == nil && !isNone(identity):
		return nil
	case s.identity == nil:
		identity = nil
	case isNone(identity):
		identity = &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: noIdentity}}
	default:
		if of, ok := s.identityOf(state); !ok || !sameIdentity(identity, of) {
			return nil
		}
	}
	private, ok := readPrivateState(req.PriorPrivate)
	if !ok {
		return nil
	}
	var diags diag.Diagnostics
	model := s.model.Of(state)
	if !r.plansNoAccountCheck(ctx, private, &diags) || !r.planUnchanged(ctx, &model, private, &diags) || len(diags) > 0 {
		return nil
	}
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedIdentity: identity, PlannedPrivate: private.encoded()}
}

// state reads a state. In none a write-only argument has a value.
func (s *modelShortcut[M]) state(encoded *tfprotov6.DynamicValue) ([]attr.Value, bool) {
	values, ok := s.object.Values(encoded)
	if !ok {
		return nil, false
	}
	for i, rules := range s.rules {
		if rules.of.IsWriteOnly() && !values[i].IsNull() {
			return nil, false
		}
	}
	return values, true
}

// noIdentity is an identity that is null.
var noIdentity = []byte{0xc0}

// isNone tells whether a CLI has stored no identity.
func isNone(identity *tfprotov6.ResourceIdentityData) bool {
	return identity == nil || identity.IdentityData == nil || bytes.Equal(identity.IdentityData.MsgPack, noIdentity)
}

func sameIdentity(a, b *tfprotov6.ResourceIdentityData) bool {
	return a != nil && b != nil && bytes.Equal(a.IdentityData.MsgPack, b.IdentityData.MsgPack)
}

// identityOf is the identity of a resource with a state; nil where it has none. All
// of it has to be there.
func (s *modelShortcut[M]) identityOf(state []attr.Value) (*tfprotov6.ResourceIdentityData, bool) {
	if s.identity == nil {
		return nil, true
	}
	var encoded bytes.Buffer
	e := msgpack.NewEncoder(&encoded)
	ok := e.EncodeMapLen(len(s.identity)) == nil
	for _, at := range s.identity {
		text, isString := state[at].(types.String)
		ok = ok && isString && !text.IsNull() && e.EncodeString(s.object.Names()[at]) == nil && e.EncodeString(text.ValueString()) == nil
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: encoded.Bytes()}}, ok
}
