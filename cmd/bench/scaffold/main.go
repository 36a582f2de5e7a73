// Command scaffold is an empty provider, like a new one. The time that it takes to start is
// the floor for every provider on the same framework.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return scaffold{} }, providerserver.ServeOpts{
		Address: "registry.terraform.io/instance-hosting/scaffold",
	})
	if err != nil {
		log.Fatal(err)
	}
}

type scaffold struct{}

// Metadata names the provider.
func (scaffold) Metadata(_ context.Context, _ provider.MetadataRequest, r *provider.MetadataResponse) {
	r.TypeName = "scaffold"
}

// Schema returns an empty schema.
func (scaffold) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

// Configure does nothing.
func (scaffold) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

// DataSources returns none.
func (scaffold) DataSources(context.Context) []func() datasource.DataSource { return nil }

// Resources returns none.
func (scaffold) Resources(context.Context) []func() resource.Resource { return nil }
