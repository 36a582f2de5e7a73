package acceptance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A provider whose key is not known yet cannot read the objects that it imports, and must
// not lose anything that it does not know.

// unknownKey configures the provider with a key that another resource creates.
func unknownKey(fake *fakeservicetest.Server) string {
	return fmt.Sprintf("resource \"terraform_data\" \"key\" {\n input = %q\n}\nprovider \"hosting\" {\n base_url = %q\n api_key = terraform_data.key.output\n}\n",
		fakeservicetest.APIKey, fake.BaseURL)
}

func TestImportUnderAKeyThatIsNotKnownYet(t *testing.T) {
	fake := seededApps(t)
	fake.AddApp("i-one", fakeservice.App{Name: "guestbook", Repo: "octo/guestbook", Branch: "main", Port: 3000, HealthPath: "/healthz"})
	w := newWorkspace(t, fake, unknownKey(fake)+`
resource "hosting_instance" "test" {
  name    = "one"
  plan    = "medium"
  region  = "eu-central"
  engines = { postgres = {}, apps = {}, auth = {} }
}
import {
  to = hosting_instance.test
  id = "i-one"
}
`+oneApp("")+`
import {
  to = hosting_app.test
  id = "i-one/guestbook"
}
`)
	w.fails("The provider is not configured yet", "-target")
	must(t, len(fake.Requests()) == 0, "requests: got %d, want none", len(fake.Requests()))
	must(t, w.saved("hosting_instance", "test") == nil && w.saved("hosting_app", "test") == nil, "something was imported")

	// Follow the advice in the error.
	r := w.run("apply", "-auto-approve", "-no-color", "-target=terraform_data.key")
	must(t, r.exit == 0, "the targeted apply: got exit %d, want 0:\n%s", r.exit, r.output)
	r = w.apply()
	must(t, strings.Contains(r.output, "2 imported, 0 added, 0 changed, 0 destroyed"), "the apply: got\n%s\nwant two imports and nothing else", r.output)
	w.mustBeSettled()
	must(t, len(fake.Jobs()) == 0, "jobs: got %+v, want none", fake.Jobs())
}

// importers lists the types that can be imported, with an id of each.
var importers = map[string]struct {
	id       string
	identity map[string]string
}{
	"hosting_instance":           {"i-one", map[string]string{"id": "i-one"}},
	"hosting_account_profile":    {"acc-1", map[string]string{"id": "acc-1"}},
	"hosting_app":                {"i-one/web", map[string]string{"instance_id": "i-one", "name": "web"}},
	"hosting_allowlist":          {"i-one", map[string]string{"instance_id": "i-one"}},
	"hosting_console_mode":       {"i-one", map[string]string{"instance_id": "i-one"}},
	"hosting_auth_settings":      {"i-one", map[string]string{"instance_id": "i-one"}},
	"hosting_webhook_endpoint":   {"w-1", map[string]string{"id": "w-1"}},
	"hosting_postgres_database":  {"i-one/orders", map[string]string{"instance_id": "i-one", "name": "orders"}},
	"hosting_postgres_extension": {"i-one/main/pgcrypto", map[string]string{"instance_id": "i-one", "database": "main", "name": "pgcrypto"}},
}

// served returns the provider over its protocol. Arguments that the configuration lacks
// are null.
func served(t *testing.T, configuration map[string]any, deferral bool) tfprotov6.ProviderServer {
	t.Helper()
	server, err := providers()["hosting"]()
	must(t, err == nil, "%v", err)
	configure(t, server, configuration, deferral)
	return server
}

// configure configures a provider like a CLI.
func configure(t *testing.T, server tfprotov6.ProviderServer, configuration map[string]any, deferral bool) {
	t.Helper()
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	must(t, err == nil, "%v", err)
	kind := schema.Provider.ValueType()
	values := map[string]tftypes.Value{}
	for name, of := range kind.(tftypes.Object).AttributeTypes {
		values[name] = tftypes.NewValue(of, configuration[name])
	}
	config, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, values))
	must(t, err == nil, "%v", err)
	answer, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: &config, ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: deferral},
	})
	must(t, err == nil && len(answer.Diagnostics) == 0, "the import: got error %v and %+v, want neither an error nor diagnostics", err, answer)
}

// unconfigured returns a provider whose key is not known yet.
func unconfigured(t *testing.T, deferral bool) tfprotov6.ProviderServer {
	t.Helper()
	return served(t, map[string]any{"api_key": tftypes.UnknownValue}, deferral)
}

// configured returns a provider for the account of a fake.
func configured(t *testing.T, fake *fakeservicetest.Server) tfprotov6.ProviderServer {
	t.Helper()
	return served(t, map[string]any{"base_url": fake.BaseURL, "api_key": fakeservicetest.APIKey}, false)
}

// identityOf returns an identity in the form in which a CLI passes it.
func identityOf(t *testing.T, parts map[string]string) *tfprotov6.ResourceIdentityData {
	t.Helper()
	attributes, values := map[string]tftypes.Type{}, map[string]tftypes.Value{}
	for name, value := range parts {
		attributes[name], values[name] = tftypes.String, tftypes.NewValue(tftypes.String, value)
	}
	of := tftypes.Object{AttributeTypes: attributes}
	identity, err := tfprotov6.NewDynamicValue(of, tftypes.NewValue(of, values))
	must(t, err == nil, "%v", err)
	return &tfprotov6.ResourceIdentityData{IdentityData: &identity}
}

// importRequests returns an import by id and an import by identity.
func importRequests(t *testing.T, server tfprotov6.ProviderServer, kind string, deferral bool) map[string]*tfprotov6.ImportResourceStateRequest {
	t.Helper()
	capabilities := &tfprotov6.ImportResourceStateClientCapabilities{DeferralAllowed: deferral}
	return map[string]*tfprotov6.ImportResourceStateRequest{
		"id":       {TypeName: kind, ID: importers[kind].id, ClientCapabilities: capabilities},
		"identity": {TypeName: kind, Identity: identityOf(t, importers[kind].identity), ClientCapabilities: capabilities},
	}
}

func TestEachTypeIsImportedOnlyWithAClient(t *testing.T) {
	server := unconfigured(t, false)
	schema, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	must(t, err == nil, "%v", err)
	must(t, len(importers) == len(schema.ResourceSchemas)-1, "types that are tested: got %d of %d, want all but the script, which has no import", len(importers), len(schema.ResourceSchemas))
	for kind := range importers {
		for way, request := range importRequests(t, server, kind, false) {
			answer, err := server.ImportResourceState(t.Context(), request)
			must(t, err == nil, "%v", err)
			if len(answer.Diagnostics) != 1 || answer.Diagnostics[0].Summary != "The provider is not configured yet" {
				t.Errorf("%s by %s: got %d imported and diagnostics %+v, want one error that the provider is not configured", kind, way, len(answer.ImportedResources), answer.Diagnostics)
			}
		}
	}
}

func TestImportIsDeferredWhereTheCLIAllowsIt(t *testing.T) {
	server := unconfigured(t, true)
	for kind := range importers {
		for way, request := range importRequests(t, server, kind, true) {
			answer, err := server.ImportResourceState(t.Context(), request)
			must(t, err == nil, "%v", err)
			if answer.Deferred == nil || answer.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown || len(answer.Diagnostics) > 0 {
				t.Errorf("%s by %s: got deferred %+v and diagnostics %+v, want it deferred without diagnostics", kind, way, answer.Deferred, answer.Diagnostics)
			}
		}
	}
}

// forget reduces an object in the state file to the given attributes, like an import that
// was never followed by a read.
func (w *workspace) forget(kind string, kept ...string) {
	w.t.Helper()
	var state map[string]any
	must(w.t, json.Unmarshal([]byte(w.read("terraform.tfstate")), &state) == nil, "the state is no JSON")
	for _, r := range state["resources"].([]any) {
		resource := r.(map[string]any)
		if resource["type"] != kind {
			continue
		}
		for _, i := range resource["instances"].([]any) {
			object := i.(map[string]any)
			delete(object, "private")
			attributes := object["attributes"].(map[string]any)
			for name := range attributes {
				attributes[name] = nil
			}
			for n := 0; n < len(kept); n += 2 {
				attributes[kept[n]] = kept[n+1]
			}
		}
	}
	state["serial"] = state["serial"].(float64) + 1
	text, err := json.Marshal(state)
	must(w.t, err == nil, "%v", err)
	w.write("terraform.tfstate", string(text))
}

func TestStateThatWasNeverReadLosesNothing(t *testing.T) {
	fake := seededApps(t)
	const instance = `
resource "hosting_instance" "test" {
  name    = "test"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = {}%s }
}
`
	app := oneApp("")
	w := newWorkspace(t, fake, fmt.Sprintf(instance, ", redis = {}")+app)
	w.apply()
	id := fake.Instances()[1].ID
	jobs := len(fake.Jobs())
	w.forget("hosting_instance", "id", id)
	w.forget("hosting_app", "instance_id", "i-one", "name", "guestbook")
	w.says(1, []string{"is protected from deletion"}, "destroy", "-refresh=false", "-auto-approve")
	w.says(0, []string{"0 to destroy"}, "plan", "-refresh=false")

	// An engine that the state does not list is not turned off.
	w.configure(fmt.Sprintf(instance, "") + app)
	r := w.run("apply", "-refresh=false", "-auto-approve", "-no-color", "-target=hosting_instance.test")
	must(t, r.exit == 1 && strings.Contains(r.output, "redis"), "the targeted apply: got exit %d, want 1 and redis in the error:\n%s", r.exit, r.output)

	w.configure(fmt.Sprintf(instance, ", redis = {}") + app)
	r = w.run("apply", "-refresh=false", "-auto-approve", "-no-color")
	must(t, r.exit == 0, "the apply: got exit %d, want 0:\n%s", r.exit, r.output)
	w.apply()
	w.mustBeSettled()
	// The app's settings are sent without a comparison, which costs a restart. Nothing is
	// built, and the instance is left alone.
	for _, job := range fake.Jobs()[jobs:] {
		must(t, job.Operation == "app_update", "a job: got %+v, want none but an update of the app", job)
	}
	must(t, len(theSeededApp(t, fake).Builds) == 1 && fake.Count("DELETE", "**") == 0, "builds: got %+v, want one, and no deletion", theSeededApp(t, fake).Builds)
}

func TestImportOfRecordsThatLackFields(t *testing.T) {
	fake := seededApps(t)
	fake.AddApp("i-one", fakeservice.App{Name: "guestbook", Repo: "octo/guestbook", Branch: "main", Port: 3000, HealthPath: "/healthz"})
	without := func(path, field string) {
		fake.Inject(fakeservice.Fault{Method: "GET", Path: path, Times: -1, Rewrite: func(m map[string]any) {
			delete(m, field)
			if apps, ok := m["apps"].([]any); ok {
				for _, app := range apps {
					delete(app.(map[string]any), field)
				}
			}
		}})
	}
	without("/instances/*", "region")
	without("/instances/*/apps", "repo")
	without("/instances/*/apps/*", "repo")
	w := newWorkspace(t, fake, `
resource "hosting_instance" "test" {
  name    = "one"
  plan    = "medium"
  region  = "eu-central"
  engines = { postgres = {}, apps = {}, auth = {} }
  deletion_protection = false
}
import {
  to = hosting_instance.test
  id = "i-one"
}
`+oneApp("deletion_protection = false")+`
import {
  to = hosting_app.test
  id = "i-one/guestbook"
}
`)
	r := w.apply()
	must(t, strings.Contains(r.output, "2 imported, 0 added, 2 changed, 0 destroyed"), "the apply: got\n%s\nwant two imports and two changes", r.output)
	w.mustBeSettled()
	must(t, len(fake.Jobs()) == 0, "jobs: got %+v, want none", fake.Jobs())
}

// If a killed apply created an object and could not save it, the service refuses its
// name. The error says how to import the object, and that is enough.
func TestRefusalOfWhatExistsNamesItsImport(t *testing.T) {
	t.Parallel()
	for kind, made := range map[string]struct {
		arguments, id string
		there         func(*fakeservicetest.Server)
		committed     string
	}{
		"hosting_app": {appArguments + "links = [\"auth\"]\n", "i-one/guestbook", func(fake *fakeservicetest.Server) {
			fake.AddApp("i-one", fakeservice.App{Name: "guestbook", Repo: "octo/guestbook"})
		}, "/instances/*/apps/import"},
		"hosting_postgres_database": {"name = \"orders\"\n", "i-one/orders", func(fake *fakeservicetest.Server) {
			fake.AddDatabase("i-one", "orders")
		}, "/instances/*/postgres/databases"},
	} {
		t.Run(kind, func(t *testing.T) {
			fake := seededApps(t)
			made.there(fake)
			w := newWorkspace(t, fake, fmt.Sprintf("resource %q \"test\" {\n instance_id = \"i-one\"\n%s}\n", kind, made.arguments))
			w.fails("already_exists", fmt.Sprintf("import { to = %s.NAME id = %q }", kind, made.id))
			w.write("import.tf", fmt.Sprintf("import {\n  to = %s.test\n  id = %q\n}\n", kind, made.id))
			w.apply()
			w.mustBeSettled()
			must(t, fake.Count("POST", made.committed) == 1, "requests of the creation: got %d, want 1", fake.Count("POST", made.committed))
		})
	}
}

// If a name is used as an id, the error says the id.
func TestImportByANameInPlaceOfAnID(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct{ arguments, id string }{
		"hosting_instance":          {`name = "one"` + "\n" + `plan = "medium"` + "\n" + `region = "eu-central"` + "\n" + `engines = {}`, "one"},
		"hosting_allowlist":         {`instance_id = "i-one"` + "\n" + `cidrs = ["192.0.2.1"]`, "one"},
		"hosting_postgres_database": {`instance_id = "i-one"` + "\n" + `name = "orders"`, "one/orders"},
	} {
		t.Run(kind, func(t *testing.T) {
			w := newWorkspace(t, seededApps(t), fmt.Sprintf("resource %q \"test\" {\n%s\n}\nimport {\n to = %s.test\n id = %q\n}\n", kind, c.arguments, kind, c.id))
			w.says(1, []string{"one is an instance's name; its id is i-one."}, "plan")
		})
	}
}
