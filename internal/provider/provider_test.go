package provider

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// TestNextCommandClosesConnections configures a provider twice, as a process with -debug is
// by two commands. The connection of the first must not stay open.
func TestNextCommandClosesConnections(t *testing.T) {
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	closed := make(chan struct{}, 1)
	service := httptest.NewUnstartedServer(fake)
	service.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	service.Start()
	defer service.Close()
	server := frameworkServer(newProvider("commands"))
	configure := func() {
		t.Helper()
		configured, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
			Config: dynamicOf(providerType(), object{"base_url": service.URL + "/api/v1", "api_key": "key"}),
		})
		if err != nil || len(configured.Diagnostics) > 0 {
			t.Fatalf("the configuration: got error %v and diagnostics %v, want neither", err, configured.Diagnostics)
		}
	}
	configure()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	read, err := server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
		TypeName: "hosting_locations", Config: dynamicOf(schemas.DataSourceSchemas["hosting_locations"].ValueType(), object{}),
	})
	if err != nil || len(read.Diagnostics) > 0 {
		t.Fatalf("the read: got error %v and diagnostics %v, want neither", err, read.Diagnostics)
	}
	configure()
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Error("the first command's connection is still open")
	}
}
