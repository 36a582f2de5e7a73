package provider

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// TestEveryAttributeOfDataSourcesIsRead reads each data source from an account that has
// everything. Each attribute must be known somewhere in the result.
func TestEveryAttributeOfDataSourcesIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
		defer func() { _ = fake.Close() }()
		waiting := furnish(t, fake)
		server := serverOf(t, fake, "key")
		schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
		if err != nil {
			t.Fatal(err)
		}
		shop := object{"instance_id": "i-shop"}
		configs := map[string][]object{
			"hosting_instance":   {{"id": "i-shop"}, {"id": waiting}},
			"hosting_app":        {{"instance_id": "i-shop", "name": "web"}},
			"hosting_app_builds": {{"instance_id": "i-shop", "app": "web"}},
			"hosting_backups":    {shop},
			"hosting_connection": {shop},
		}
		for name, schema := range schemas.DataSourceSchemas {
			of := schema.ValueType().(tftypes.Object)
			read := map[string]bool{}
			given, ok := configs[name]
			if !ok {
				given = []object{{}} // it needs no arguments
			}
			for _, config := range given {
				answer, err := server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: dynamicOf(of, config)})
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range answer.Diagnostics {
					t.Errorf("a read of %s: got the diagnostic %s: %s, want none", name, d.Summary, d.Detail)
				}
				value, err := answer.State.Unmarshal(of)
				if err != nil {
					t.Fatal(err)
				}
				noteKnown(t, read, "", value)
			}
			for _, a := range schema.Block.Attributes {
				if !a.Computed {
					delete(read, a.Name) // an argument
				}
			}
			for _, path := range slices.Sorted(maps.Keys(read)) {
				if !read[path] {
					t.Errorf("%s: got null for %s, want a value; let setRecord in internal/provider set it, or furnish in data_sources_test.go give the account a value", name, path)
				}
			}
		}
	})
}

// noteKnown notes for each attribute in a value whether it is known anywhere. Elements of
// lists, sets and maps have the path of their collection.
func noteKnown(t *testing.T, read map[string]bool, path string, value tftypes.Value) {
	t.Helper()
	known := value.IsKnown() && !value.IsNull()
	if path != "" {
		read[path] = read[path] || known
	}
	switch of := value.Type().(type) {
	case tftypes.Object:
		attributes := map[string]tftypes.Value{}
		if known {
			if err := value.As(&attributes); err != nil {
				t.Fatal(err)
			}
		}
		for name, attribute := range of.AttributeTypes {
			inside, ok := attributes[name]
			if !ok {
				inside = tftypes.NewValue(attribute, nil)
			}
			noteKnown(t, read, strings.TrimPrefix(path+"."+name, "."), inside)
		}
	case tftypes.List, tftypes.Set:
		var elements []tftypes.Value
		if known {
			if err := value.As(&elements); err != nil {
				t.Fatal(err)
			}
		}
		for _, element := range elements {
			noteKnown(t, read, path+"[]", element)
		}
	case tftypes.Map:
		elements := map[string]tftypes.Value{}
		if known {
			if err := value.As(&elements); err != nil {
				t.Fatal(err)
			}
		}
		for _, element := range elements {
			noteKnown(t, read, path+"[]", element)
		}
	}
}

// exampleOf sets each property of a schema to the first example of the document.
func exampleOf(t *testing.T, schema string, into any) {
	t.Helper()
	object := map[string]any{}
	for _, property := range apispec.Properties(schema) {
		object[property] = apispec.Examples[any](schema, property)[0]
	}
	must.Do(t, json.Unmarshal(must.Get(json.Marshal(object))(t), into))
}

// furnish adds something of everything to an account. It returns the id of an instance that
// waits for its checkout. The other one is i-shop.
func furnish(t *testing.T, fake *fakeservice.Service) (waiting string) {
	t.Helper()
	fake.EditProfile("Ada", "Engines Ltd", "1 Road", "DE1")
	fake.AddInstance(fakeservice.Instance{ID: "i-shop", Name: "shop", Plan: "large", Tags: []string{"prod"}, Allowlist: []string{"192.0.2.0/24"}, ConsoleMode: "rw", Backups: []fakeservice.Backup{{ID: "bak-1", Kind: "daily", CreatedAt: time.Now()}},
		Engines: map[string]*fakeservice.Engine{"postgres": {}, "redis": {}, "couchdb": {}, "nats": {}, "apps": {}, "auth": {SiteURL: "https://shop.example", RedirectURLs: []string{"https://shop.example/**"}}}})
	app := core.NewApp{Repo: "acme/web", Name: "web"}
	exampleOf(t, "AppUpdate", &app.AppChange)
	app.Env = &map[string]string{"A": "1"} // as the configurations of the golden files have it
	if _, err := fake.ImportApp("i-shop", app); err != nil {
		t.Fatal(err)
	}
	fake.Advance(48 * time.Hour) // the build, a backup and a verification
	endpoint := "https://hooks.example/x"
	if _, err := fake.CreateWebhook(core.WebhookChange{URL: &endpoint}); err != nil {
		t.Fatal(err)
	}
	defer fake.FailBuilds(fakeservice.BuildMatch{}, 1, "it does not compile")()
	if _, err := fake.RedeployApp("i-shop", "web"); err != nil {
		t.Fatal(err)
	}
	fake.Advance(10 * time.Minute)
	var paid [2]core.Creation
	for n, name := range []string{"paid", "waiting"} {
		created, err := fake.CreateInstance(core.NewInstance{Name: name, Plan: "small", Region: "eu-central"}, "https://hosting.test")
		if err != nil {
			t.Fatal(err)
		}
		paid[n] = created
	}
	if err := fake.PayCheckout(paid[0].ID); err != nil {
		t.Fatal(err)
	}
	return paid[1].ID
}
