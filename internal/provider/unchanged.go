package provider

import (
	"bytes"
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/pluginserver"
)

// An unchangedServer answers a read or plan that changes nothing without most of the
// framework, which takes several times as long to reach the same answer.
//
// It calls the resource's own Read or ModifyPlan, as the framework does. If that changes
// and reports nothing, the answer is what the request already has. Otherwise the
// framework answers, and its call of the same method returns the response that was
// computed here (computedResource), so that nothing is requested or noted twice.
//
// Four steps of the framework are left out, because they change nothing in such a call:
//   - It plans defaults of arguments that are not set (resourceType.keepsDefaults).
//   - It removes write-only values from the state (resourceType.decode).
//   - It calls the schema's plan modifiers. They keep a value that is planned as it is in
//     the state (TestPlanModifiersKeepWhatDoesNotChange).
//   - It calls semantic equality, which only concerns values that differ.
type unchangedServer struct {
	pluginserver.ProviderServer
	provider *hostingProvider
	types    func() map[string]*resourceType
}

func newUnchangedServer(p *hostingProvider, framework pluginserver.ProviderServer) *unchangedServer {
	return &unchangedServer{ProviderServer: framework, provider: p, types: sync.OnceValue(resourceTypes)}
}

// ReadResource answers with the request's own state if the resource's Read keeps it.
func (s *unchangedServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	t, data := s.types()[req.TypeName], s.provider.configured.Load()
	if t == nil || data == nil {
		return s.ProviderServer.ReadResource(ctx, req)
	}
	given, ok := t.decode(req.CurrentState, req.CurrentIdentity, req.Private)
	if !ok {
		return s.ProviderServer.ReadResource(ctx, req)
	}
	request := resource.ReadRequest{State: given.state, Identity: given.copyOfIdentity()}
	if req.ClientCapabilities != nil {
		request.ClientCapabilities.DeferralAllowed = req.ClientCapabilities.DeferralAllowed
	}
	setPrivate(&request.Private, given.private)
	response := resource.ReadResponse{State: request.State, Identity: given.copyOfIdentity(), Private: request.Private}
	t.newResource(ctx, *data).Read(ctx, request, &response)

	private, known := encodePrivate(response.Private, given.private)
	if known && len(response.Diagnostics) == 0 && response.Deferred == nil &&
		response.State.Raw.Equal(given.state.Raw) && !response.Identity.Raw.IsFullyNull() && given.keepsIdentity(response.Identity) {
		identity, err := t.encodeIdentity(response.Identity)
		return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, NewIdentity: identity, Private: private}, err
	}
	defer func() { response = resource.ReadResponse{} }() // the framework keeps the context
	return s.ProviderServer.ReadResource(context.WithValue(ctx, computedKey{}, &response), req)
}

// PlanResourceChange answers with the prior state if that is the proposed state and the
// resource's ModifyPlan keeps it.
func (s *unchangedServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	t, data := s.types()[req.TypeName], s.provider.configured.Load()
	if t == nil || data == nil || req.PriorState == nil || req.ProposedNewState == nil || req.Config == nil ||
		!bytes.Equal(req.PriorState.MsgPack, req.ProposedNewState.MsgPack) {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	given, ok := t.decode(req.PriorState, req.PriorIdentity, req.PriorPrivate)
	if !ok {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	config, err := req.Config.Unmarshal(t.objectType)
	if err != nil || !t.keepsDefaults(given.state.Raw, config) {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	request := resource.ModifyPlanRequest{
		Config:   tfsdk.Config{Schema: t.schema, Raw: config},
		State:    given.state,
		Plan:     tfsdk.Plan{Schema: t.schema, Raw: given.state.Raw},
		Identity: given.copyOfIdentity(),
	}
	if req.ClientCapabilities != nil {
		request.ClientCapabilities.DeferralAllowed = req.ClientCapabilities.DeferralAllowed
	}
	setPrivate(&request.Private, given.private)
	response := resource.ModifyPlanResponse{Plan: request.Plan, Identity: given.copyOfIdentity(), Private: request.Private}
	t.newResource(ctx, *data).ModifyPlan(ctx, request, &response)

	private, known := encodePrivate(response.Private, given.private)
	if known && len(response.Diagnostics) == 0 && response.Deferred == nil && len(response.RequiresReplace) == 0 &&
		response.Plan.Raw.Equal(given.state.Raw) && given.keepsIdentity(response.Identity) {
		identity, err := t.encodeIdentity(response.Identity)
		return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedIdentity: identity, PlannedPrivate: private}, err
	}
	defer func() { response = resource.ModifyPlanResponse{} }() // the framework keeps the context
	return s.ProviderServer.PlanResourceChange(context.WithValue(ctx, computedKey{}, &response), req)
}

// computedKey is the key of a context's *resource.ReadResponse or
// *resource.ModifyPlanResponse that was computed before the framework was called.
type computedKey struct{}

// A computedResource returns the response that the context has for a call. If it has
// none, the resource is called.
type computedResource struct{ managedResource }

// A managedResource has the methods that a computedResource passes on. ValidateConfig is
// passed on too if the resource has it. TestResourcesHaveNoOtherMethods checks that no
// method is missing here.
type managedResource interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
}

// withComputed wraps a managedResource in a computedResource. For any other resource an
// unchangedServer computes nothing.
func withComputed(r resource.Resource) resource.Resource {
	if managed, ok := r.(managedResource); ok {
		return computedResource{managed}
	}
	return r
}

func (r computedResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if validated, ok := r.managedResource.(resource.ResourceWithValidateConfig); ok {
		validated.ValidateConfig(ctx, req, resp)
	}
}

func (r computedResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	if computed, ok := ctx.Value(computedKey{}).(*resource.ReadResponse); ok {
		*resp = *computed
		return
	}
	r.managedResource.Read(ctx, req, resp)
}

func (r computedResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if computed, ok := ctx.Value(computedKey{}).(*resource.ModifyPlanResponse); ok {
		diags := resp.Diagnostics // of the schema's plan modifiers
		diags.Append(computed.Diagnostics...)
		*resp = *computed
		resp.Diagnostics = diags
		return
	}
	r.managedResource.ModifyPlan(ctx, req, resp)
}
