package pluginserver

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// These are the unary calls of the protocol.

func (s *shortContexts) GetMetadata(ctx context.Context, req *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return run(ctx, s, req, s.ProviderServer.GetMetadata)
}

func (s *shortContexts) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return run(ctx, s, req, s.ProviderServer.GetProviderSchema)
}

func (s *shortContexts) GetResourceIdentitySchemas(ctx context.Context, req *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return run(ctx, s, req, s.ProviderServer.GetResourceIdentitySchemas)
}

func (s *shortContexts) ValidateProviderConfig(ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return run(ctx, s, req, s.ProviderServer.ValidateProviderConfig)
}

func (s *shortContexts) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return run(ctx, s, req, s.ProviderServer.ValidateResourceConfig)
}

func (s *shortContexts) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return run(ctx, s, req, s.ProviderServer.UpgradeResourceState)
}

func (s *shortContexts) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return run(ctx, s, req, s.ProviderServer.ReadResource)
}

func (s *shortContexts) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return run(ctx, s, req, s.ProviderServer.PlanResourceChange)
}

func (s *shortContexts) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return run(ctx, s, req, s.ProviderServer.ApplyResourceChange)
}

func (s *shortContexts) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return run(ctx, s, req, s.ProviderServer.ImportResourceState)
}

func (s *shortContexts) MoveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	return run(ctx, s, req, s.ProviderServer.MoveResourceState)
}

func (s *shortContexts) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return run(ctx, s, req, s.ProviderServer.UpgradeResourceIdentity)
}

func (s *shortContexts) GenerateResourceConfig(ctx context.Context, req *tfprotov6.GenerateResourceConfigRequest) (*tfprotov6.GenerateResourceConfigResponse, error) {
	return run(ctx, s, req, s.ProviderServer.GenerateResourceConfig)
}

func (s *shortContexts) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return run(ctx, s, req, s.ProviderServer.ValidateDataResourceConfig)
}

func (s *shortContexts) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return run(ctx, s, req, s.ProviderServer.ReadDataSource)
}

func (s *shortContexts) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return run(ctx, s, req, s.ProviderServer.CallFunction)
}

func (s *shortContexts) GetFunctions(ctx context.Context, req *tfprotov6.GetFunctionsRequest) (*tfprotov6.GetFunctionsResponse, error) {
	return run(ctx, s, req, s.ProviderServer.GetFunctions)
}

func (s *shortContexts) ValidateEphemeralResourceConfig(ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return run(ctx, s, req, s.ProviderServer.ValidateEphemeralResourceConfig)
}

func (s *shortContexts) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return run(ctx, s, req, s.ProviderServer.OpenEphemeralResource)
}

func (s *shortContexts) RenewEphemeralResource(ctx context.Context, req *tfprotov6.RenewEphemeralResourceRequest) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	return run(ctx, s, req, s.ProviderServer.RenewEphemeralResource)
}

func (s *shortContexts) CloseEphemeralResource(ctx context.Context, req *tfprotov6.CloseEphemeralResourceRequest) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return run(ctx, s, req, s.ProviderServer.CloseEphemeralResource)
}

func (s *shortContexts) ValidateListResourceConfig(ctx context.Context, req *tfprotov6.ValidateListResourceConfigRequest) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return run(ctx, s, req, s.ProviderServer.ValidateListResourceConfig)
}

func (s *shortContexts) ValidateActionConfig(ctx context.Context, req *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error) {
	return run(ctx, s, req, s.ProviderServer.ValidateActionConfig)
}

func (s *shortContexts) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return run(ctx, s, req, s.ProviderServer.PlanAction)
}
