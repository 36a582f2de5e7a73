package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// childrenHCL returns one of each resource that is on an instance, without protection.
func childrenHCL(instanceID string) string {
	of := func(kind, arguments string) string {
		return fmt.Sprintf("resource %q \"child\" {\n  instance_id = %s\n%s}\n", kind, instanceID, arguments)
	}
	return of("hosting_app", "  name = \"shop\"\n  repo = \"octo/web\"\n  deletion_protection = false\n") +
		of("hosting_postgres_database", "  name = \"orders\"\n  deletion_protection = false\n") +
		of("hosting_postgres_extension", "  database = hosting_postgres_database.child.name\n  name = \"pgcrypto\"\n") +
		of("hosting_postgres_script", "  sql = \"create table a ()\"\n  destroy_sql = \"drop table a\"\n  depends_on = [hosting_console_mode.child]\n") +
		of("hosting_console_mode", "  mode = \"ro\"\n") +
		of("hosting_auth_settings", "  site_url = \"https://a.example\"\n") +
		of("hosting_allowlist", "  cidrs = [\"203.0.113.0/24\"]\n  on_destroy = \"open\"\n")
}

const unprotectedInstance = "resource \"hosting_instance\" \"test\" {\n  name = \"web\"\n  plan = \"free\"\n  region = \"eu-central\"\n" +
	"  engines = { postgres = {}, apps = {}, auth = {} }\n  deletion_protection = false\n}\n"

// mustChangeNothing fails if the fake was asked for a change since the count of changes was
// before.
func mustChangeNothing(t *testing.T, fake *fakeservicetest.Server, before int) {
	t.Helper()
	must(t, len(changes(fake)) == before, "changes that were sent: got %v, want none", changes(fake)[before:])
}

// If an unknown id does change, the apply ends with an error, and the next plan shows the
// replacement.
func TestUnknownIDThatChanges(t *testing.T) {
	fake, _ := startRecorded(t)
	everything := map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}, "apps": {MemoryMB: 512}, "auth": {MemoryMB: 256}}
	for _, id := range []string{"i-red", "i-blue"} {
		fake.AddInstance(fakeservice.Instance{ID: id, Name: id, Plan: "medium", Region: "eu-central", Engines: everything})
	}
	of := func(id string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"id\" {\n  input = %q\n}\n", id) + childrenHCL("terraform_data.id.output")
	}
	w := newWorkspace(t, fake, of("i-red"))
	w.apply()
	before := len(changes(fake))
	w.configure(of("i-blue"))
	w.says(0, []string{"known only after apply", "0 to destroy"}, "plan")
	want := []string{`In the state it is "i-red", and now it is "i-blue"`, "Nothing was changed. Plan again"}
	if cli, err := cliversion.Of(t.Context(), w.cli); err != nil || cli.Product == cliversion.OpenTofu {
		want = []string{"Provider produced inconsistent final plan"}
	}
	w.says(1, want, "apply", "-auto-approve")
	mustChangeNothing(t, fake, before)
	w.says(0, []string{"7 to add, 0 to change, 7 to destroy"}, "plan")
	w.apply()
	w.mustBeSettled()
}

// A replaced instance takes all that is on it along, in one apply.
func TestReplacedInstanceWithItsChildren(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(w *workspace, of string) []string{
		"another region": func(w *workspace, of string) []string {
			w.configure(strings.Replace(of, "eu-central", "us-east", 1))
			return nil
		},
		"-replace": func(*workspace, string) []string { return []string{"-replace=hosting_instance.test"} },
		"tainted": func(w *workspace, _ string) []string {
			w.says(0, nil, "taint", "hosting_instance.test")
			return nil
		},
		"tainted, without a refresh": func(w *workspace, _ string) []string {
			w.says(0, nil, "taint", "hosting_instance.test")
			return []string{"-refresh=false"}
		},
		"create_before_destroy": func(w *workspace, of string) []string {
			w.configure(strings.Replace(strings.Replace(of, "eu-central", "us-east", 1), "deletion_protection = false", "deletion_protection = false\nlifecycle {\n create_before_destroy = true\n}", 1))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			fake, _ := startRecorded(t)
			of := unprotectedInstance + childrenHCL("hosting_instance.test.id")
			w := newWorkspace(t, fake, of)
			w.apply()
			w.says(0, []string{"8 added, 0 changed, 8 destroyed"}, append([]string{"apply", "-auto-approve"}, replace(w, of)...)...)
			w.mustBeSettled()
		})
	}
}
