package examples

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
	"github.com/instance-hosting/terraform-provider-hosting/internal/snippettest"
)

// A snippet is an example of one file, which refers to objects of the reader's own module.
// The test declares those next to it. Instances exist already, with the objects on them.

// account creates the objects that a snippet expects at the service. The ids are the ones
// in the snippets.
func account(fake *fakeservicetest.Server, instances ...fakeservice.Instance) {
	fake.EditProfile("Ada", "Engines Ltd", "1 Example Street, Example Town", "XX123456789")
	for _, in := range instances {
		in.Allowlist, in.ConsoleMode = []string{"203.0.113.0/24"}, "ro"
		// Snippets name an undo snapshot, because days pass during a test, and only seven
		// daily backups are kept.
		in.Backups = []fakeservice.Backup{
			{ID: "bak-abc123", Kind: "daily", CreatedAt: fake.Now(), SizeBytes: 1 << 20},
			{ID: "bak-def456", Kind: "undo", CreatedAt: fake.Now(), SizeBytes: 1 << 20},
		}
		if auth := in.Engines["auth"]; auth != nil {
			auth.SiteURL, auth.RedirectURLs = "https://shop.example.com", []string{"https://shop.example.com/**"}
		}
		fake.AddInstance(in)
		fake.AddDatabase(in.ID, "orders")
		fake.AddExtension(in.ID, fakeservice.Extension{Name: "pgvector", Database: "orders", Version: "0.8.0"})
		fake.AddApp(in.ID, fakeservice.App{Name: "web", Repo: "acme/shop", Public: true})
	}
	fake.AddWebhook(fakeservice.Webhook{ID: "wh-abc123", URL: "https://hooks.example.com/account"})
}

// bare returns instances without objects on them.
func bare(fake *fakeservicetest.Server, instances ...fakeservice.Instance) {
	for _, in := range instances {
		fake.AddInstance(in)
	}
}

// instance returns one with the engines that package snippettest declares, and others.
func instance(id, name string, engines ...string) fakeservice.Instance {
	in := fakeservice.Instance{ID: id, Name: name, Region: "eu-central", Tags: []string{"production"}, Engines: map[string]*fakeservice.Engine{}}
	for _, engine := range append(engines, "postgres", "apps", "auth") {
		in.Engines[engine] = &fakeservice.Engine{}
	}
	in.Engines["apps"].MemoryMB = 2048 // for the largest app of a snippet
	return in
}

var instanceID = regexp.MustCompile(`"(i-[0-9a-z]+)"`)

// instancesOf returns the instances that a snippet refers to, by id or by address, and
// import blocks for the latter. When a user writes such a snippet, the instances already
// run.
func instancesOf(snippet string, missing snippettest.Missing) (instances []fakeservice.Instance, imports string) {
	ids := map[string]bool{}
	for _, match := range instanceID.FindAllStringSubmatch(snippet, -1) {
		ids[match[1]] = true
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		instances = append(instances, instance(id, id, "redis"))
	}
	for _, r := range missing.Resources {
		if r.Type == "hosting_instance" {
			in := instance("i-of-"+r.Name, r.Name)
			in.Tags = nil // like its configuration
			instances = append(instances, in)
			imports += fmt.Sprintf("import {\n  to = %s\n  id = \"i-of-%s\"\n}\n", r, r.Name)
		}
	}
	return instances, imports
}

// newSnippets returns a workspace with snippets and their surroundings, on an account with
// the objects that they refer to.
func newSnippets(t *testing.T, files []string) *workspace {
	t.Helper()
	var all string
	for _, file := range files {
		all += text(t, file)
	}
	missing := snippettest.Of(all)
	var options []func(*fakeservice.Options)
	if strings.Contains(all, `resource "hosting_postgres_script"`) {
		options = append(options, withPostgres(t))
	}
	fake := startFake(t, options...)
	instances, imports := instancesOf(all, missing)
	if strings.HasPrefix(files[0], "resources/") || strings.HasPrefix(files[0], "provider/") {
		bare(fake, instances...)
	} else {
		account(fake, append(instances, instance("i-of-shop-by-name", "shop"))...)
	}
	w := newWorkspace(t, fake)
	for _, file := range files {
		w.write(strings.ReplaceAll(file, "/", "-"), text(t, file))
	}
	w.write("surroundings.tf", without("postgresql", missing.Configuration())+imports)
	w.set(valuesOf(w.configuration(), fake, ""))
	return w
}

// without removes a provider from the required providers.
func without(provider, configuration string) string {
	return regexp.MustCompile(`(?m)^ +`+provider+` += \{.*\n`).ReplaceAllString(configuration, "")
}

var withDefault = regexp.MustCompile(`(?m)^  default\s*=`)

// valuesOf returns values for the variables without a default. The parameter other makes
// them different.
func valuesOf(configuration string, fake *fakeservicetest.Server, other string) map[string]any {
	values := map[string]any{}
	for _, b := range block.FindAllStringSubmatch(configuration, -1) {
		if b[1] != "variable" || withDefault.MatchString(b[4]) {
			continue
		}
		if values[b[2]] = "the value of an example" + other; b[2] == "commit" {
			values[b[2]] = fake.Push("acme/shop", "main") // the newest
		}
	}
	return values
}

// set sets the values of variables.
func (w *workspace) set(values map[string]any) {
	w.t.Helper()
	if len(values) == 0 {
		return
	}
	text := must.Get(json.Marshal(values))(w.t)
	w.write("values.auto.tfvars.json", string(text))
}

// applySnippets applies examples, plans them empty, invokes their actions, and destroys
// them.
func applySnippets(t *testing.T, files []string) {
	w := newSnippets(t, files)
	said := w.apply()
	w.mustBeSettled()
	w.invoke(said)
	w.destroy()
}

// invoke invokes each action that the first apply, whose output is said, has not invoked.
// It triggers an action by a change of variables if it has a trigger, and by hand
// otherwise.
func (w *workspace) invoke(said string) {
	w.t.Helper()
	const invoked = "Actions: 1 invoked."
	configuration := w.configuration()
	for _, b := range block.FindAllStringSubmatch(configuration, -1) {
		if b[1] != "action" {
			continue
		}
		address := "action." + b[2] + "." + b[3]
		switch {
		case !strings.Contains(configuration, "["+address+"]"):
			says(w.t, w.apply("-invoke="+address), invoked)
		case strings.Contains(configuration, "after_create"):
			says(w.t, said, invoked)
		default:
			w.set(valuesOf(configuration, w.fake, ", changed"))
			says(w.t, w.apply(), invoked)
			w.mustBeSettled()
		}
	}
}
