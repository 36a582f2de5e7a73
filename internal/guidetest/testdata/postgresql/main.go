// Command postgresql stands in for the provider cyrilgdev/postgresql. It has the arguments
// that the documentation sets, so that such blocks can be validated without a registry.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return postgresql{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/cyrilgdev/postgresql"})
	if err != nil {
		log.Fatal(err)
	}
}

type postgresql struct{}

func (postgresql) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "postgresql"
}

func (postgresql) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	text := providerschema.StringAttribute{Optional: true}
	resp.Schema.Attributes = map[string]providerschema.Attribute{
		"host": text, "port": providerschema.Int64Attribute{Optional: true}, "database": text, "username": text,
		"password": text, "superuser": providerschema.BoolAttribute{Optional: true}, "sslmode": text, "sslrootcert": text,
	}
}

func (postgresql) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (postgresql) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (postgresql) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return named("schema") },
		func() resource.Resource { return named("role") },
	}
}

// named is a type of resource that has a name. It is validated and never applied.
type named string

func (n named) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "postgresql_" + string(n)
}

func (named) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema.Attributes = map[string]schema.Attribute{"name": schema.StringAttribute{Required: true}}
}

func (named) Create(context.Context, resource.CreateRequest, *resource.CreateResponse) {}
func (named) Read(context.Context, resource.ReadRequest, *resource.ReadResponse)       {}
func (named) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}
func (named) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
