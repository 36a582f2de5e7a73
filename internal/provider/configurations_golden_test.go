package provider

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// TestGoldenConfigurations configures the provider and compares what it reports, and how many
// requests it sends, with testdata/configurations.golden. Each configuration
// then plans an instance, at a service that works and at one that is overloaded.
func TestGoldenConfigurations(t *testing.T) {
	var text strings.Builder
	for _, env := range []map[string]string{
		{diagnostics.EnvBaseURL: "", diagnostics.EnvAPIKey: ""},
		{diagnostics.EnvBaseURL: "https://hosting.test/api/v1", diagnostics.EnvAPIKey: "key"},
	} {
		for name, value := range env {
			t.Setenv(name, value)
		}
		fmt.Fprintf(&text, "# environment %s\n", jsonOf(env))
		for _, config := range []object{
			{},
			{"base_url": "https://hosting.test/api/v1"},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key"},
			{"base_url": "", "api_key": ""},
			{"base_url": "ftp://hosting.test", "api_key": "key"},
			{"base_url": "hosting.test", "api_key": "key"},
			{"base_url": "https://hosting.test/api/v1", "api_key": "not a\nkey"},
			{"base_url": "https://hosting.test/api/v1", "api_key": later},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "allowed_account_ids": []any{"acc-own"}},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "allowed_account_ids": []any{"acc-one", "acc-two"}},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "allowed_account_ids": []any{}},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "allowed_account_ids": later},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "max_retries": 0},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "max_retries": 2},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "max_retries": -1},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "request_timeout": "5"},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "request_timeout": "5s"},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "requests_per_second": 0},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "requests_per_second": 20},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "default_tags": []any{"team", "prod"}},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "default_tags": []any{later}},
			{"base_url": "https://hosting.test/api/v1", "api_key": "key", "default_tags": []any{""}},
		} {
			fmt.Fprintf(&text, "# %s\n", shownConfig(config))
			synctest.Test(t, func(t *testing.T) { configure(t, config, &text) })
		}
	}
	mustBeGolden(t, "configurations.golden", normalIDs(text.String()))
}

// configure validates a configuration, and plans an instance with it.
func configure(t *testing.T, config object, to *strings.Builder) {
	t.Helper()
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	fake.SetAccountID("acc-own")
	for _, works := range []bool{true, false} {
		var sent atomic.Int64
		server := frameworkServer(newProvider("configurations", WithTransport(gateway.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if sent.Add(1); works {
				fake.ServeHTTP(w, r)
			} else {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})})))
		valid, err := server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: dynamicOf(providerType(), config)})
		if err != nil {
			t.Fatal(err)
		}
		if works {
			writeSorted(to, valid.Diagnostics)
		}
		if hasError(valid.Diagnostics) {
			return
		}
		for _, deferral := range []bool{false, true} {
			answer, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
				Config: dynamicOf(providerType(), config), ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: deferral},
			})
			if err != nil {
				t.Fatal(err)
			}
			if works && !deferral {
				writeSorted(to, answer.Diagnostics)
			}
			if hasError(answer.Diagnostics) {
				return
			}
		}
		var planned strings.Builder
		create := existing{kind: "hosting_instance"}
		create.plan(t, server, object{"name": "web", "plan": "free", "region": "eu-central", "engines": object{"postgres": object{}}}, &planned)
		if works {
			to.WriteString(planned.String())
		} else {
			fmt.Fprintf(to, "  requests to an overloaded service: %d\n", sent.Load())
		}
	}
}
