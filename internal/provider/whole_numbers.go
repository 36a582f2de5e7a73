package provider

import (
	"context"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/pluginserver"
)

// A wholeNumberServer reports a fraction that is given for a whole number. The framework
// calls that an error in the provider, and draws wrong conclusions from the missing value.
type wholeNumberServer struct{ pluginserver.ProviderServer }

// ValidateProviderConfig validates the provider block.
func (s wholeNumberServer) ValidateProviderConfig(
	ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	resp, err := s.ProviderServer.ValidateProviderConfig(ctx, req)
	if err == nil && len(resp.Diagnostics) > 0 {
		resp.Diagnostics = reworded(resp.Diagnostics, req.Config, s.schemas(ctx).Provider)
	}
	return resp, err
}

// ValidateResourceConfig validates a resource block.
func (s wholeNumberServer) ValidateResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	resp, err := s.ProviderServer.ValidateResourceConfig(ctx, req)
	if err == nil && len(resp.Diagnostics) > 0 {
		resp.Diagnostics = reworded(resp.Diagnostics, req.Config, s.schemas(ctx).ResourceSchemas[req.TypeName])
	}
	return resp, err
}

// ValidateDataResourceConfig validates a data block.
func (s wholeNumberServer) ValidateDataResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	resp, err := s.ProviderServer.ValidateDataResourceConfig(ctx, req)
	if err == nil && len(resp.Diagnostics) > 0 {
		resp.Diagnostics = reworded(resp.Diagnostics, req.Config, s.schemas(ctx).DataSourceSchemas[req.TypeName])
	}
	return resp, err
}

// schemas returns the schemas of all blocks, or none if the framework reports an error.
func (s wholeNumberServer) schemas(ctx context.Context) *tfprotov6.GetProviderSchemaResponse {
	all, err := s.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return &tfprotov6.GetProviderSchemaResponse{}
	}
	return all
}

// reworded returns the errors of a block's fractions, or what the framework has said if it
// has none.
func reworded(said []*tfprotov6.Diagnostic, config *tfprotov6.DynamicValue, schema *tfprotov6.Schema) []*tfprotov6.Diagnostic {
	if config == nil || schema == nil {
		return said
	}
	block, err := config.Unmarshal(schema.ValueType())
	if err != nil {
		return said
	}
	if errors := fractionsIn(block); len(errors) > 0 {
		return errors
	}
	return said
}

// fractionsIn reports each number of a block that is not whole. Only requests_per_second may
// have a fraction.
func fractionsIn(block tftypes.Value) (errors []*tfprotov6.Diagnostic) {
	_ = tftypes.Walk(block, func(at *tftypes.AttributePath, v tftypes.Value) (bool, error) { // no call returns an error
		var number *big.Float
		isNumber := v.Type().Is(tftypes.Number) && !v.IsNull() && v.IsKnown() && v.As(&number) == nil
		if !isNumber || number.IsInt() ||
			at.Equal(tftypes.NewAttributePath().WithAttributeName("requests_per_second")) {
			return true, nil
		}
		name := pathText(at)
		errors = append(errors, &tfprotov6.Diagnostic{
			Severity: tfprotov6.DiagnosticSeverityError, Attribute: at, Summary: "Invalid value of " + name,
			Detail: name + " must be a whole number, not " + number.Text('g', 10) + "; floor() and ceil() round it.",
		})
		return true, nil
	})
	return errors
}

// pathText formats a path as a configuration has it.
func pathText(at *tftypes.AttributePath) string {
	text := path.Empty()
	for _, step := range at.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			text = text.AtName(string(step))
		case tftypes.ElementKeyString:
			text = text.AtMapKey(string(step))
		}
	}
	return text.String()
}
