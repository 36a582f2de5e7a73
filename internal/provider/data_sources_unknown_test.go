package provider

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// TestUnknownIsNull reads each data source from a service whose records contain nothing but
// what identifies them (SERVICE.md#tolerance). Everything else is unknown, and so is null.
func TestUnknownIsNull(t *testing.T) {
	machine := object{"id": "i-shop", "status": "running", "usage": object{}, "monitoring": object{}, "backups": object{}}
	answers := map[string]any{
		"/me":                               object{"id": "acc-1"},
		"/plans":                            object{"plans": []any{object{"id": "small", "price_cents": 0}}, "engines": object{"redis": object{}}},
		"/locations":                        object{"locations": []any{object{"id": "eu-central"}}},
		"/billing":                          object{"subscriptions": []any{object{"instance_id": "i-shop"}}, "charges": []any{object{"id": "chg-1"}}},
		"/webhooks":                         object{"webhooks": []any{object{"id": "wh-1", "url": "https://a.example"}}},
		"/instances":                        object{"instances": []any{machine}},
		"/instances/i-shop":                 machine,
		"/instances/i-shop/connection":      object{"ca_certificate": "CA", "engines": object{"postgres": object{}}},
		"/instances/i-shop/backups":         object{"backups": []any{object{"id": "bak-1"}}},
		"/instances/i-shop/apps":            object{"apps": []any{object{"name": "web"}}},
		"/instances/i-shop/apps/web":        object{"name": "web"},
		"/instances/i-shop/apps/web/builds": object{"builds": []any{object{"id": "bld-1"}}},
	}
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer, ok := answers[strings.TrimPrefix(r.URL.Path, "/api/v1")]
		if !ok {
			t.Errorf("got a request of %s, want none", r.URL.Path)
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
	server := serverOf(t, service, "key")
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	shop, app := object{"instance_id": "i-shop"}, object{"instance_id": "i-shop", "name": "web"}
	for kind, row := range map[string]struct {
		config object
		want   string
	}{
		"hosting_account":           {object{}, `{"id":"acc-1"}`},
		"hosting_app":               {app, `{"instance_id":"i-shop","name":"web"}`},
		"hosting_app_builds":        {object{"instance_id": "i-shop", "app": "web"}, `{"app":"web","builds":[{"id":"bld-1"}],"instance_id":"i-shop"}`},
		"hosting_backups":           {shop, `{"backups":[{"id":"bak-1"}],"instance_id":"i-shop"}`},
		"hosting_billing":           {object{}, `{"charges":[{"id":"chg-1"}],"subscriptions":[{"instance_id":"i-shop"}]}`},
		"hosting_connection":        {shop, `{"ca_certificate":"CA","instance_id":"i-shop"}`},
		"hosting_instance":          {object{"id": "i-shop"}, `{"backups":{},"id":"i-shop","monitoring":{},"status":"running","usage":{}}`},
		"hosting_instances":         {object{}, `{"instances":[{"backups":{},"id":"i-shop","monitoring":{},"status":"running","usage":{}}]}`},
		"hosting_locations":         {object{}, `{"locations":[{"id":"eu-central"}]}`},
		"hosting_plans":             {object{}, `{"engines":{"redis":{}},"plans":[{"id":"small","price_cents":0}]}`},
		"hosting_webhook_endpoints": {object{}, `{"endpoints":[{"id":"wh-1","url":"https://a.example"}]}`},
	} {
		of := schemas.DataSourceSchemas[kind].ValueType()
		answer, err := server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: kind, Config: dynamicOf(of, row.config)})
		if err != nil || len(answer.Diagnostics) > 0 {
			t.Fatalf("%s: got error %v and diagnostics %v, want neither", kind, err, answer.Diagnostics)
		}
		if got := jsonOf(decoded(t, of, answer.State)); got != row.want {
			t.Errorf("%s: got %s, want %s", kind, got, row.want)
		}
	}
}
