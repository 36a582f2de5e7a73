// Command reference is a provider with this project's schema that does nothing. It finds
// everything valid, and immediately answers each read and each plan with the prior state.
// The cost of a CLI with it is the floor for a provider with this schema.
//
// It can only plan: a change is an error.
package main

import (
	"context"
	"errors"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider"
)

func main() {
	signal.Ignore(syscall.SIGTERM)
	// A floor writes no log.
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO"} {
		if err := os.Setenv(name, "OFF"); err != nil {
			log.Fatal(err)
		}
	}
	schemas := providerserver.NewProtocol6(provider.New("reference")())
	err := tf6server.Serve("registry.terraform.io/instance-hosting/hosting", func() tfprotov6.ProviderServer {
		return &server{ProviderServer: schemas()}
	})
	if err != nil {
		log.Fatal(err)
	}
}

// server answers about schemas like the provider, and everything else by itself.
type server struct{ tfprotov6.ProviderServer }

// ValidateProviderConfig finds any configuration valid.
func (*server) ValidateProviderConfig(_ context.Context, r *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: r.Config}, nil
}

// ConfigureProvider needs no configuration.
func (*server) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

// ValidateResourceConfig finds any configuration valid.
func (*server) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

// UpgradeResourceState returns the state unchanged.
func (*server) UpgradeResourceState(_ context.Context, r *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &tfprotov6.DynamicValue{JSON: r.RawState.JSON}}, nil
}

// ReadResource returns the current state.
func (*server) ReadResource(_ context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, Private: r.Private, NewIdentity: r.CurrentIdentity}, nil
}

// PlanResourceChange plans no change.
func (*server) PlanResourceChange(_ context.Context, r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: r.PriorState, PlannedPrivate: r.PriorPrivate, PlannedIdentity: r.PriorIdentity}, nil
}

// ApplyResourceChange returns an error.
func (*server) ApplyResourceChange(context.Context, *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return nil, errors.New("the reference provider only plans")
}
