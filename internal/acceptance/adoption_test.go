package acceptance

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation/accounts"
)

// typesToAdopt lists the types that have a list resource.
var typesToAdopt = []string{
	"account_profile", "instance", "app", "allowlist", "console_mode", "auth_settings", "postgres_database", "postgres_extension", "webhook_endpoint",
}

// queryBy lists existing objects into generated.tf. It must succeed.
func (w *workspace) queryBy(blocks string) result {
	w.t.Helper()
	w.write("all.tfquery.hcl", blocks)
	r := w.run("query", "-no-color", "-generate-config-out=generated.tf")
	if r.exit != 0 {
		w.t.Fatalf("query: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	w.mustBeFormatted("generated.tf")
	return r
}

// mustBeFormatted checks that a file is in the CLI's standard form.
func (w *workspace) mustBeFormatted(name string) {
	w.t.Helper()
	if r := w.run("fmt", "-check", "-diff", "-no-color", name); r.exit != 0 {
		w.t.Errorf("fmt -check of %s: got exit %d, want 0 and the standard form:\n%s", name, r.exit, r.output)
	}
}

// mustOnlyHaveRead checks that the fake got only reads.
func mustOnlyHaveRead(t *testing.T, fake *fakeservicetest.Server) {
	t.Helper()
	for _, request := range fake.Requests() {
		if request.Method != http.MethodGet {
			t.Errorf("requests: got %s %s, want only GET", request.Method, request.Path)
		}
	}
}

// accountsOfAll returns the first n accounts that have an object of each type to list,
// and every odd text. Instances and apps that are still being created are set to running,
// because the CLI would wait for them. Every second account belongs to a provider with
// default tags, and its instances have these tags.
func accountsOfAll(n int) []accounts.Account {
	var found []accounts.Account
	for seed := 1; len(found) < n; seed++ {
		a := accounts.Drawn().Example(seed)
		a.Profile.Address = accounts.OddText()
		var variables, databases, extensions, sites int
		for i := range a.Instances {
			one := &a.Instances[i]
			if one.Status == fakeservice.StatusCreating {
				one.Status = fakeservice.StatusRunning
			}
			for j := range one.Apps {
				variables += len(one.Apps[j].Env)
				if one.Apps[j].Status == fakeservice.StatusBuilding {
					one.Apps[j].Status = fakeservice.StatusRunning
				}
			}
			one.Tags = append(one.Tags, a.DefaultTags...)
			slices.Sort(one.Tags)
			one.Tags = slices.Compact(one.Tags)
			if auth := one.Engines["auth"]; one.Status == fakeservice.StatusRunning && auth != nil && auth.SiteURL != "" {
				sites++
			}
			databases, extensions = databases+len(one.Databases), extensions+len(one.Extensions)
		}
		tagged := len(found)%2 == 1 // every second one
		if variables > 0 && databases > 0 && extensions > 0 && sites > 0 && len(a.Endpoints) > 0 && tagged == (a.DefaultTags != nil) {
			found = append(found, a)
		}
	}
	return found
}

// A query lists the existing objects of each type. The generated configuration imports as
// it is, plans empty and leaves the account unchanged.
func TestAdoptedAccounts(t *testing.T) {
	t.Parallel()
	needs(t, listResources)
	// The example from the documentation lists everything.
	example, err := os.ReadFile(filepath.FromSlash("../../examples/account/account.tfquery.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	for n, account := range accountsOfAll(3) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			// With a slow clock, the service does nothing by itself.
			fake := fakeservicetest.Start(t)
			if err := account.SetUp(fake.Service); err != nil {
				t.Fatal(err)
			}
			before := accounts.RecordsOf(fake.Service)
			tags := make([]string, 0, len(account.DefaultTags))
			for _, tag := range account.DefaultTags {
				tags = append(tags, fmt.Sprintf("%q", tag))
			}
			w := newWorkspace(t, fake, "provider \"hosting\" {\n  default_tags = ["+strings.Join(tags, ", ")+"]\n}\n")
			query := w.queryBy(string(example))
			generated := w.read("generated.tf")
			for _, kind := range typesToAdopt {
				if !strings.Contains(generated, "resource \"hosting_"+kind+"\"") {
					t.Errorf("the generated configuration: got no hosting_%s, want one:\n%s", kind, query.output)
				}
			}
			apply := w.apply()
			if want := fmt.Sprint(strings.Count(generated, "import {"), " imported, 0 added, 0 changed, 0 destroyed"); !strings.Contains(apply.output, want) {
				t.Errorf("the output of the apply: got\n%s\nwant %q in it", apply.output, want)
			}
			w.mustBeSettled()
			if diff := cmp.Diff(before, accounts.RecordsOf(fake.Service)); diff != "" {
				t.Errorf("the account after the adoption (-want +got):\n%s", diff)
			}
			mustOnlyHaveRead(t, fake)
			if strings.Contains(w.read("terraform.tfstate")+generated+query.output+apply.output, accounts.SecretOfAll) {
				t.Error("a secret reached the state, the configuration or the terminal")
			}
			for text, output := range map[string]string{
				"Variables of apps are not listed": query.output, "Secrets of webhook endpoints are not listed": query.output,
				"are left alone": apply.output, "The secret of webhook endpoint": apply.output,
			} {
				if !strings.Contains(output, "Warning: ") || !strings.Contains(output, text) {
					t.Errorf("the output: got\n%s\nwant the warning %q in it", output, text)
				}
			}
		})
	}
}

// If a CLI has no lists, import blocks with ids generate the same configuration.
func TestAdoptedByIDs(t *testing.T) {
	fake := fakeservicetest.Start(t)
	account := accountsOfAll(1)[0]
	if err := account.SetUp(fake.Service); err != nil {
		t.Fatal(err)
	}
	before := accounts.RecordsOf(fake.Service)
	ids := map[string][]string{"account_profile": {fake.AccountID()}}
	for _, e := range fake.Webhooks() {
		ids["webhook_endpoint"] = append(ids["webhook_endpoint"], e.ID)
	}
	for _, i := range account.Instances {
		if i.Status == fakeservice.StatusDeleting {
			continue
		}
		ids["instance"] = append(ids["instance"], i.ID)
		if i.Status != fakeservice.StatusRunning {
			continue
		}
		ids["allowlist"] = append(ids["allowlist"], i.ID)
		if i.Engines["postgres"] != nil {
			ids["console_mode"] = append(ids["console_mode"], i.ID)
		}
		if auth := i.Engines["auth"]; auth != nil && auth.SiteURL != "" {
			ids["auth_settings"] = append(ids["auth_settings"], i.ID)
		}
		for _, app := range i.Apps {
			ids["app"] = append(ids["app"], i.ID+"/"+app.Name)
		}
		for _, name := range i.Databases {
			ids["postgres_database"] = append(ids["postgres_database"], i.ID+"/"+name)
		}
		for _, e := range i.Extensions {
			ids["postgres_extension"] = append(ids["postgres_extension"], i.ID+"/"+e.Database+"/"+e.Name)
		}
	}
	var blocks strings.Builder
	for _, kind := range typesToAdopt {
		for n, id := range ids[kind] {
			fmt.Fprintf(&blocks, "import {\n  to = hosting_%s.all_%d\n  id = %q\n}\n", kind, n, id)
		}
	}
	w := newWorkspace(t, fake, blocks.String())
	if r := w.run("plan", "-no-color", "-generate-config-out=generated.tf"); r.exit != 0 {
		t.Fatalf("the plan: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	w.mustBeFormatted("generated.tf")
	if apply := w.apply(); !strings.Contains(apply.output, "0 added, 0 changed, 0 destroyed") {
		t.Errorf("the import: got\n%s\nwant nothing changed", apply.output)
	}
	w.mustBeSettled()
	if diff := cmp.Diff(before, accounts.RecordsOf(fake.Service)); diff != "" {
		t.Errorf("the account after the adoption (-want +got):\n%s", diff)
	}
	mustOnlyHaveRead(t, fake)
}
