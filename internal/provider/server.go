package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/serving"
)

// NewServer makes the provider as it is served: main serves it, and so do the tests
// that run it in their own process.
func NewServer(version string, options ...Option) tfprotov6.ProviderServer {
	return NewServerWith(serving.All, version, options...)
}

// NewServerWith makes the provider as it is served with some optimizations.
func NewServerWith(with serving.Optimizations, version string, options ...Option) tfprotov6.ProviderServer {
	p := newProvider(version, options...)
	p.uncoalesced = !with.Coalescing
	framework := providerserver.NewProtocol6(p)()
	server, ok := framework.(serving.ProviderServer)
	if !ok {
		return framework // of a framework without lists and actions, which this is not
	}
	if with.Shortcuts {
		server = &quickServer{ProviderServer: server, provider: p, shortcuts: shortcuts()}
	}
	if with.Contexts {
		server = serving.WithShortContexts(server)
	}
	return server
}

// A quickServer asks the shortcut of a type first, and the framework where that gives
// no answer.
type quickServer struct {
	serving.ProviderServer
	provider  *hostingProvider
	shortcuts map[string]func() shortcut
}

// shortcut is the one of a type; nil where there is none.
func (s *quickServer) shortcut(kind string) shortcut {
	if of, ok := s.shortcuts[kind]; ok {
		return of()
	}
	return nil
}

func (s *quickServer) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	if of := s.shortcut(req.TypeName); of != nil && of.isValid(ctx, req) {
		return &tfprotov6.ValidateResourceConfigResponse{}, nil
	}
	return s.ProviderServer.ValidateResourceConfig(ctx, req)
}

func (s *quickServer) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	if of := s.shortcut(req.TypeName); of != nil {
		if answer := of.upgrade(req); answer != nil {
			return answer, nil
		}
	}
	return s.ProviderServer.UpgradeResourceState(ctx, req)
}

func (s *quickServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	ctx = withAnswers(ctx)
	if of, data := s.shortcut(req.TypeName), s.provider.configured.Load(); of != nil && data != nil {
		if answer := of.read(ctx, *data, req); answer != nil {
			return answer, nil
		}
	}
	return s.ProviderServer.ReadResource(ctx, req)
}

func (s *quickServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if of, data := s.shortcut(req.TypeName), s.provider.configured.Load(); of != nil && data != nil {
		if answer := of.plan(ctx, *data, req); answer != nil {
			return answer, nil
		}
	}
	return s.ProviderServer.PlanResourceChange(ctx, req)
}
