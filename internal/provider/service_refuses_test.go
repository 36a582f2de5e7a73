package provider

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/pluginserver"
)

// serverOf returns a server whose client sends its requests to a handler, or that has no
// client because the key is unknown.
func serverOf(t *testing.T, service http.Handler, key any) pluginserver.ProviderServer {
	t.Helper()
	server := frameworkServer(newProvider("refused", WithTransport(gateway.Transport{Handler: service}), WithRandom(rand.NewPCG(1, 2))))
	answer, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: dynamicOf(providerType(), object{"base_url": "https://hosting.test/api/v1", "api_key": key}),
	})
	if err != nil || len(answer.Diagnostics) > 0 {
		t.Fatalf("the configuration: got error %v and diagnostics %v, want neither", err, answer.Diagnostics)
	}
	return server
}

// refusesAll refuses the key of every request.
func refusesAll(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write([]byte(`{"status":401,"code":"unauthorized","detail":"The key is not valid."}`))
}

// TestEveryReadReportsItsError reads each data source and lists each type when the service
// refuses the key, and when there is no client. The one error must be reported, and nothing
// else.
func TestEveryReadReportsItsError(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]pluginserver.ProviderServer{
		"the key is refused": serverOf(t, http.HandlerFunc(refusesAll), "key"),
		"the key is unknown": serverOf(t, http.HandlerFunc(refusesAll), notKnown{}),
	} {
		schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for kind, schema := range schemas.DataSourceSchemas {
			of := schema.ValueType().(tftypes.Object)
			answer, err := server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: kind, Config: dynamicOf(of, requiredTexts(schema))})
			if err != nil {
				t.Fatal(err)
			}
			mustBeOneError(t, name+", data source "+kind, answer.Diagnostics)
		}
		for kind, schema := range schemas.EphemeralResourceSchemas {
			of := schema.ValueType().(tftypes.Object)
			answer, err := server.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{TypeName: kind, Config: dynamicOf(of, requiredTexts(schema))})
			if err != nil {
				t.Fatal(err)
			}
			mustBeOneError(t, name+", ephemeral resource "+kind, answer.Diagnostics)
		}
		for kind, schema := range schemas.ListResourceSchemas {
			of := schema.ValueType().(tftypes.Object)
			stream, err := server.ListResource(t.Context(), &tfprotov6.ListResourceRequest{TypeName: kind, Config: dynamicOf(of, requiredTexts(schema)), IncludeResource: true, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			var told []*tfprotov6.Diagnostic
			for one := range stream.Results {
				told = append(told, one.Diagnostics...)
			}
			mustBeOneError(t, name+", list of "+kind, told)
		}
	}
}

// TestReadWithoutAClient reads each resource when the key is unknown. The state stays as it
// is, and nothing is reported.
func TestReadWithoutAClient(t *testing.T) {
	t.Parallel()
	server := serverOf(t, http.HandlerFunc(refusesAll), notKnown{})
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for kind, schema := range schemas.ResourceSchemas {
		of := schema.ValueType().(tftypes.Object)
		state := dynamicOf(of, requiredTexts(schema))
		answer, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: kind, CurrentState: state})
		if err != nil || len(answer.Diagnostics) > 0 {
			t.Errorf("%s: got error %v and %v, want none", kind, err, textsOf(answer.Diagnostics))
			continue
		}
		if !slices.Equal(answer.NewState.MsgPack, state.MsgPack) {
			t.Errorf("%s: the state has changed", kind)
		}
	}
}

// TestImportOfAnInvalidID imports each resource by an id or an identity that none can have.
// It sends no request.
func TestImportOfAnInvalidID(t *testing.T) {
	t.Parallel()
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	t.Cleanup(func() { _ = fake.Close() })
	server := serverOf(t, fake, "key")
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for kind := range schemas.ResourceSchemas {
		answer, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: kind, ID: "a/b/c/d"})
		if err != nil {
			t.Fatal(err)
		}
		mustBeOneError(t, "import of "+kind, answer.Diagnostics)
	}
	for _, part := range []string{"", "a/b"} {
		for kind, identity := range identitiesOf(t, server, part) {
			answer, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: kind, Identity: identity})
			if err != nil {
				t.Fatal(err)
			}
			mustBeOneError(t, "import by identity of "+kind, answer.Diagnostics)
		}
	}
	if sent := fake.Requests(); len(sent) > 0 {
		t.Errorf("requests: got %d, want none: %s %s", len(sent), sent[0].Method, sent[0].Path)
	}
}

// TestImportWithoutAClient imports each resource when the key is unknown. The import is
// deferred where the CLI allows that, and refused otherwise.
func TestImportWithoutAClient(t *testing.T) {
	t.Parallel()
	server := serverOf(t, http.HandlerFunc(refusesAll), notKnown{})
	for _, deferral := range []bool{false, true} {
		_, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
			Config:             dynamicOf(providerType(), object{"base_url": "https://hosting.test/api/v1", "api_key": notKnown{}}),
			ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: deferral},
		})
		if err != nil {
			t.Fatal(err)
		}
		capabilities := &tfprotov6.ImportResourceStateClientCapabilities{DeferralAllowed: deferral}
		for kind, identity := range identitiesOf(t, server, "x") {
			for _, request := range []*tfprotov6.ImportResourceStateRequest{{ID: "x"}, {Identity: identity}} {
				request.TypeName, request.ClientCapabilities = kind, capabilities
				answer, err := server.ImportResourceState(t.Context(), request)
				if err != nil {
					t.Fatal(err)
				}
				if !deferral {
					mustBeOneError(t, "import of "+kind, answer.Diagnostics)
				} else if answer.Deferred == nil || answer.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown || len(answer.Diagnostics) > 0 {
					t.Errorf("import of %s: got deferred %v and %v, want it deferred until the configuration is known", kind, answer.Deferred, textsOf(answer.Diagnostics))
				}
			}
		}
	}
}

// identitiesOf returns an identity of each type, with the same text in each part.
func identitiesOf(t *testing.T, server pluginserver.ProviderServer, part string) map[string]*tfprotov6.ResourceIdentityData {
	t.Helper()
	schemas, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*tfprotov6.ResourceIdentityData{}
	for kind, schema := range schemas.IdentitySchemas {
		parts := object{}
		for _, attribute := range schema.IdentityAttributes {
			parts[attribute.Name] = part
		}
		all[kind] = &tfprotov6.ResourceIdentityData{IdentityData: dynamicOf(schema.ValueType(), parts)}
	}
	return all
}

func mustBeOneError(t *testing.T, what string, told []*tfprotov6.Diagnostic) {
	t.Helper()
	if len(told) != 1 || told[0].Severity != tfprotov6.DiagnosticSeverityError {
		t.Errorf("%s: got %d diagnostics, want one error: %v", what, len(told), textsOf(told))
	}
}

func textsOf(told []*tfprotov6.Diagnostic) (texts []string) {
	for _, d := range told {
		texts = append(texts, d.Summary+": "+d.Detail)
	}
	return texts
}

// requiredTexts returns values for the id and for each required text of a schema.
func requiredTexts(schema *tfprotov6.Schema) object {
	all := object{}
	for _, a := range schema.Block.Attributes {
		if (a.Required || a.Name == "id") && a.Type != nil && a.Type.Is(tftypes.String) {
			all[a.Name] = "x"
		}
	}
	return all
}
