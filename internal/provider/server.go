package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/pluginserver"
)

// NewServer returns the server of the provider, for main and for tests that run it in
// their own process.
func NewServer(version string, options ...Option) tfprotov6.ProviderServer {
	p := newProvider(version, options...)
	return pluginserver.WithShortContexts(newUnchangedServer(p, wholeNumberServer{stateServer{frameworkServer(p), p}}))
}

// frameworkServer returns the framework's server of the provider. It serves lists and
// actions, which the interface of the protocol does not require yet.
func frameworkServer(p *hostingProvider) pluginserver.ProviderServer {
	return providerserver.NewProtocol6(p)().(pluginserver.ProviderServer)
}
