package acceptance

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// These imports must fail. Each error says what is missing, and none is left to the CLI's
// own message. An import by identity has the same parts as the id.

const noInstance = `The service has no instance with the id "i-none"`

// importsOfNothing lists ids of objects that do not exist, by type.
var importsOfNothing = map[string][]struct{ id, says string }{
	"hosting_instance": {
		{"i-none", noInstance},
		{"one", "one is an instance's name; its id is i-one."},
		{"i-going", "Instance i-going is being deleted, with all that is on it."},
	},
	"hosting_account_profile": {{"acc-none", "not as acc-none. Import its profile by the id acc-"}},
	"hosting_app": {
		{"i-none/web", noInstance},
		{"i-one/wbe", "Instance i-one has no app wbe."},
		{"i-bare/web", "Instance i-bare has no app web."},
		{"i-going/web", "Instance i-going is being deleted, with all that is on it."},
	},
	"hosting_allowlist":    {{"i-none", noInstance}},
	"hosting_console_mode": {{"i-none", noInstance}},
	"hosting_auth_settings": {
		{"i-none", noInstance},
		{"i-bare", "Instance i-bare has no auth settings: the engine that has them is off."},
	},
	"hosting_webhook_endpoint": {{"w-none", `no webhook endpoint with the id "w-none"`}},
	"hosting_postgres_database": {
		{"i-none/orders", noInstance},
		{"i-one/ordres", "Instance i-one has no database ordres."},
		{"i-one/main", "Database main comes and goes with the postgres engine of instance i-one"},
		{"i-bare/orders", "Instance i-bare has no database orders."},
	},
	"hosting_postgres_extension": {
		{"i-none/main/pgcrypto", noInstance},
		{"i-one/main/pg_trgm", "Instance i-one has no extension pg_trgm in a database main."},
		{"i-one/ordres/pgcrypto", "Instance i-one has no extension pgcrypto in a database ordres."},
		{"i-bare/main/pgcrypto", "Instance i-bare has no extension pgcrypto in a database main."},
	},
}

func TestImportOfNothing(t *testing.T) {
	t.Parallel()
	fake := seeded(t)
	fake.AddInstance(fakeservice.Instance{ID: "i-bare", Name: "bare", Plan: "medium", Region: "eu-central", Engines: map[string]*fakeservice.Engine{"redis": {MemoryMB: 64}}})
	fake.AddInstance(fakeservice.Instance{ID: "i-going", Name: "going", Plan: "medium", Region: "eu-central", Status: "deleting"})
	fake.AddExtension("i-one", fakeservice.Extension{Name: "pgcrypto", Database: "main", Version: "1.3"})
	server := configured(t, fake)
	for kind, importer := range importers {
		if len(importsOfNothing[kind]) == 0 {
			t.Errorf("imports of %s: got none in the table, want at least one", kind)
		}
		for _, nothing := range importsOfNothing[kind] {
			for way, request := range requestsOf(t, kind, strings.Split(nothing.id, "/"), partsOf(importer.id, importer.identity)) {
				t.Run(kind+"/"+way+"/"+nothing.id, func(t *testing.T) {
					t.Parallel() // absences are confirmed at the same time
					mustRefuse(t, server, request, nothing.says)
				})
			}
		}
	}
}

// importForms lists the forms of import IDs in errors, by type.
var importForms = map[string]string{
	"hosting_instance":           "the instance's id, such as i-4f2a",
	"hosting_allowlist":          "the instance's id, such as i-4f2a",
	"hosting_console_mode":       "the instance's id, such as i-4f2a",
	"hosting_auth_settings":      "the instance's id, such as i-4f2a",
	"hosting_account_profile":    "the account's id, such as acc-4f2a",
	"hosting_webhook_endpoint":   "the endpoint's id, such as wh-4f2a",
	"hosting_app":                "the instance's id and the app's name, such as i-4f2a/web",
	"hosting_postgres_database":  "the instance's id and the database's name, such as i-4f2a/orders",
	"hosting_postgres_extension": "the instance's id, the database's name and the extension's name, such as i-4f2a/orders/pgvector",
}

// An id with the wrong form is refused before any request.
func TestImportByAnIDOfAnotherForm(t *testing.T) {
	fake := startFake(t)
	server := configured(t, fake)
	asked := len(fake.Requests())
	for kind, importer := range importers {
		names := partsOf(importer.id, importer.identity)
		good := strings.Split(importer.id, "/")
		ids := []string{"", "/", importer.id + "/more", "/" + importer.id, importer.id + "/"}
		if len(good) > 1 {
			ids = append(ids, good[0], strings.Join(good[1:], "/"))
		}
		for _, id := range ids {
			mustRefuse(t, server, &tfprotov6.ImportResourceStateRequest{TypeName: kind, ID: id}, "The import ID is "+importForms[kind]+", not ")
		}
		for i, name := range names {
			for _, part := range []string{"", "a/b"} {
				parts := append([]string{}, good...)
				parts[i] = part
				mustRefuse(t, server, requestsOf(t, kind, parts, names)["identity"], name+" of the identity must not be empty or contain a slash")
			}
		}
	}
	must(t, len(fake.Requests()) == asked, "requests: got %d, want none", len(fake.Requests())-asked)
}

func TestImportOfAScript(t *testing.T) {
	w := newWorkspace(t, seeded(t), `
resource "hosting_postgres_script" "test" {
  instance_id = "i-one"
  sql         = "CREATE TABLE IF NOT EXISTS t ()"
}
import {
  to = hosting_postgres_script.test
  id = "i-one"
}
`)
	w.says(1, []string{"A script cannot be imported", "Remove the import, and apply"}, "plan")
	w.says(1, []string{"A script cannot be imported"}, "import", "hosting_postgres_script.test", "i-one")
}

// The CLI passes the identity to the provider, and shows the provider's error.
func TestImportByAnIdentityOfNothing(t *testing.T) {
	needs(t, resourceIdentity)
	w := newWorkspace(t, seeded(t), `
resource "hosting_postgres_database" "test" {
  instance_id = "i-one"
  name        = "ordres"
}
import {
  to = hosting_postgres_database.test
  identity = {
    instance_id = "i-one"
    name        = "ordres"
  }
}
`)
	w.says(1, []string{"Instance i-one has no database ordres."}, "plan")
}

// partsOf returns the names of an id's parts, in order.
func partsOf(id string, identity map[string]string) []string {
	var names []string
	for _, part := range strings.Split(id, "/") {
		for name, value := range identity {
			if value == part {
				names = append(names, name)
			}
		}
	}
	return names
}

// requestsOf returns an import by id and an import by identity, with the named parts.
func requestsOf(t *testing.T, kind string, parts, names []string) map[string]*tfprotov6.ImportResourceStateRequest {
	t.Helper()
	identity := map[string]string{}
	for i, name := range names {
		identity[name] = parts[i]
	}
	return map[string]*tfprotov6.ImportResourceStateRequest{
		"id":       {TypeName: kind, ID: strings.Join(parts, "/")},
		"identity": {TypeName: kind, Identity: identityOf(t, identity)},
	}
}

// mustRefuse runs an import that must end with one error that contains a text.
func mustRefuse(t *testing.T, server tfprotov6.ProviderServer, request *tfprotov6.ImportResourceStateRequest, says string) {
	t.Helper()
	answer, err := server.ImportResourceState(t.Context(), request)
	must(t, err == nil, "%v", err)
	if len(answer.Diagnostics) != 1 || answer.Diagnostics[0].Severity != tfprotov6.DiagnosticSeverityError || !strings.Contains(answer.Diagnostics[0].Detail, says) {
		t.Errorf("%s %q: got %+v, want one error that says %q", request.TypeName, request.ID, answer.Diagnostics, says)
	}
}
