package provider

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"pgregory.net/rapid"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// notRead contains the attributes that no record of the service has, by type. They come
// only from the configuration.
var notRead = map[string][]string{
	"hosting_app":              {"secret_env_wo_version", "redeploy_triggers", "deploy_commit"},
	"hosting_postgres_script":  {"sql", "sql_wo_version", "destroy_sql"},
	"hosting_webhook_endpoint": {"secret", "secret_wo_version"},
}

// TestEveryAttributeIsRead reads objects whose state has only the identity, as after an
// import. Each attribute that a record has must then be in the state.
func TestEveryAttributeIsRead(t *testing.T) {
	read := map[string]map[string]bool{}
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(timeless{t}, func(t *rapid.T) {
			for _, s := range drawnSchemas() {
				if read[s.kind] == nil {
					read[s.kind] = map[string]bool{}
				}
				for name, value := range readAfterImport(t, s) {
					if !value.IsNull() {
						read[s.kind][name] = true
					}
				}
			}
		})
	})
	for _, s := range drawnSchemas() {
		for _, a := range s.attributes {
			want := !a.WriteOnly && a.Name != "timeouts" && !slices.Contains(notRead[s.kind], a.Name)
			if got := read[s.kind][a.Name]; got && !want {
				t.Errorf("%s: got %s read, want it not read; take it out of notRead", s.kind, a.Name)
			} else if !got && want {
				t.Errorf("%s: got null for %s after an import, want a value; let setRecord in internal/provider set it, and tell in unchanged_service_test.go answer it, or add it to notRead", s.kind, a.Name)
			}
		}
	}
}

// readAfterImport returns the attributes of an object that is read after an import.
func readAfterImport(t *rapid.T, s drawnSchema) map[string]tftypes.Value {
	state, imported := object{}, object{}
	for _, a := range s.attributes {
		values := valuesOf(a.Name)
		usual := slices.IndexFunc(values, func(v any) bool { return v != nil })
		state[a.Name] = values[usual]
	}
	for _, name := range []string{"id", "instance_id", "name", "database"} {
		imported[name] = state[name]
	}
	records := drawnRecords{}
	records.tell(t, s.kind, state)
	side := newSide(records, nil)
	if _, err := side.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		Config:             dynamicOf(providerType(), object{"base_url": "https://hosting.test/api/v1", "api_key": "a-key-of-the-tests"}),
		ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{},
	}); err != nil {
		t.Fatal(err)
	}
	// Without the names of the secret variables, an app's variables would not be read.
	private, err := json.Marshal(map[string][]byte{".import_before_read": []byte("true"), privatestate.SecretKeysKey: []byte("[]")})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := side.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: s.kind, CurrentState: dynamicOf(s.of, imported), Private: private,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{},
	})
	if err != nil {
		t.Fatal(err)
	}
	value, err := answer.NewState.Unmarshal(s.of)
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]tftypes.Value{}
	if err := value.As(&read); err != nil {
		t.Fatal(err)
	}
	return read
}
