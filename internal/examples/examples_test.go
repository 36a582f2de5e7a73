package examples

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// folder is the folder of the examples, relative to this package.
const folder = "../../examples"

// A way is a kind of test for some of the files.
type way struct {
	did   string                 // the verb for the count of files
	files []string               // patterns of paths below the folder
	needs *cliversion.Capability // nil if all promised CLIs can do it
	do    func(t *testing.T, files []string)
	// apart reports whether each file is tested by itself. Otherwise they form one
	// configuration.
	apart bool
}

// The first ones take longest: they wait for a build that replaces another.
var ways = []way{
	{did: "invoked", files: []string{"actions/*/*.tf"}, needs: &cliversion.ProviderActions, do: applySnippets, apart: true},
	{did: "applied", files: []string{"postgres-roles/*.tf"}, do: postgresRoles.apply},
	{did: "applied", files: []string{"resources/hosting_postgres_script/resource*.tf"}, do: applySnippets},
	{did: "applied", files: []string{"data-sources/*/*.tf"}, do: applySnippets},
	{did: "applied", files: []string{"resources/hosting_[aciw]*/resource*.tf", "resources/hosting_postgres_[de]*/resource*.tf", "functions/*/*.tf", "provider/*.tf", "ephemeral-resources/*/ephemeral-resource_*.tf"}, do: applySnippets, apart: true},
	{did: "imported", files: []string{"resources/*/import-by-string-id.tf", "resources/*/import.sh"}, do: importByID},
	{did: "imported", files: []string{"resources/*/import-by-identity.tf"}, needs: &cliversion.ResourceIdentity, do: importByIdentity},
	{did: "queried", files: []string{"list-resources/*/*.tfquery.hcl"}, needs: &cliversion.ListResources, do: queryAll},
	{did: "adopted", files: []string{"account/account.tfquery.hcl"}, needs: &cliversion.ListResources, do: adopt},
	{did: "applied", files: []string{"postgres/*.tf"}, do: configuration{}.apply},
	{did: "applied", files: []string{"fleet/*.tf"}, do: configuration{}.apply},
	{did: "applied", files: []string{"environments/staging/*.tf"}, do: configuration{}.apply},
	{did: "applied", files: []string{"environments/production/*.tf"}, do: configuration{}.apply},
	{did: "applied", files: []string{"modules/app-stack/*.tf"}, do: appStack.apply},
	{did: "run by terraform test", files: []string{"modules/app-stack/tests/*.tftest.hcl"}, do: testModule},
	{did: "invoked", files: []string{"key-rotation/*.tf"}, needs: &cliversion.ProviderActions, do: keyRotation.apply},
	{did: "applied and swept", files: []string{"previews/*.tf", "previews/sweep/*.tf"}, do: previews},
	{did: "applied", files: []string{"webhook-receiver/*.tf"}, do: receiveWebhooks},
}

// elsewhere lists the files that another test covers, and the reason.
var elsewhere = []struct{ files, test, in, why string }{
	{"guestbook/*.tf", "TestGuestbook", "internal/acceptance/guestbook_test.go", "it is looked at from all sides there, with its app and a browser too"},
	{"guestbook/tests/*.tftest.hcl", "TestGuestbookOwnTest", "internal/acceptance/guestbook_test.go", "its script runs on a database that is recorded"},
	{"ephemeral-resources/hosting_connection/ephemeral-resource.tf", "TestAnotherProviderOverTheEphemeralConnection", "internal/acceptance/postgresql_provider_test.go", "it needs a provider of Postgres, and an apply before it"},
	{"ci/*.yml", "TestWorkflow", "internal/guidetest/workflow_test.go", "its steps are typed into a terminal, as the commands of the guides are"},
}

// configurationFile matches files of Terraform, and files that are run unchanged. The other
// files belong to them: pages, SQL, and programs, which have their own tests.
var configurationFile = regexp.MustCompile(`\.(tf|tofu|hcl|tf\.json|tfvars|sh|yml|yaml)$`)

// configurationFiles returns those files, by their paths below the folder.
func configurationFiles(t *testing.T) []string {
	t.Helper()
	var all []string
	err := fs.WalkDir(os.DirFS(folder), ".", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.HasPrefix(entry.Name(), ".terraform") {
			return fs.SkipDir // left by a manual run
		}
		if err == nil && !entry.IsDir() && configurationFile.MatchString(file) && entry.Name() != ".terraform.lock.hcl" {
			all = append(all, file)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("files of the examples: got %d (%v), want some", len(all), err)
	}
	return all
}

// TestExamples tests each file under examples/ in its way, and counts. A CLI that lacks a
// feature skips the files that need it, by version.
func TestExamples(t *testing.T) {
	t.Parallel()
	files := configurationFiles(t)
	var mu sync.Mutex
	count := map[string]int{}
	done := func(t *testing.T, did string, files int) {
		switch {
		case t.Failed():
			did = "failed"
		case t.Skipped():
			did = "skipped"
		}
		mu.Lock()
		defer mu.Unlock()
		count[did] += files
	}
	t.Cleanup(func() {
		t.Logf("%d files of examples: %v", len(files), count)
	})
	for _, w := range ways {
		mine := matching(files, w.files...)
		groups := map[string][]string{w.files[0] + " " + w.did: mine}
		if w.apart {
			groups = map[string][]string{}
			for _, file := range mine {
				groups[file] = []string{file}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			group := groups[name]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				t.Cleanup(func() { done(t, w.did, len(group)) })
				lacks(t, w.needs)
				w.do(t, group)
			})
		}
	}
	for _, e := range elsewhere {
		count["by another test"] += len(matching(files, e.files))
	}
}

// TestEveryExampleIsTested compares the ways with the files: each file has one way, and
// each way has a file.
func TestEveryExampleIsTested(t *testing.T) {
	t.Parallel()
	files := configurationFiles(t)
	patterns := map[string]bool{} // whether a file matches it
	for _, w := range ways {
		for _, pattern := range w.files {
			patterns[pattern] = false
		}
	}
	for _, e := range elsewhere {
		patterns[e.files] = false
		text, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(e.in)))
		if err != nil || !strings.Contains(string(text), "\nfunc "+e.test+"(t *testing.T)") {
			t.Errorf("%s: got no test %s in %s (%v), want one", e.files, e.test, e.in, err)
		}
		if e.why == "" {
			t.Errorf("%s: say why another test has it", e.files)
		}
	}
	for _, file := range files {
		var its []string
		for pattern := range patterns {
			if ok, err := path.Match(pattern, file); err != nil || ok {
				its = append(its, pattern)
				patterns[pattern] = true
			}
		}
		if len(its) != 1 {
			t.Errorf("tests of %s: got %d, want one: %v", file, len(its), its)
		}
	}
	for pattern, used := range patterns {
		if !used {
			t.Errorf("files that %s matches: got none, want some", pattern)
		}
	}
}

func matching(files []string, patterns ...string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		return !slices.ContainsFunc(patterns, func(pattern string) bool {
			ok, _ := path.Match(pattern, file) // TestEveryExampleIsTested reports invalid patterns
			return ok
		})
	})
}

// text returns the text of an example.
func text(t *testing.T, file string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(folder, filepath.FromSlash(file))))(t)
	return string(text)
}

// lacks skips a test if the CLI lacks a feature, and skips all of them if no CLI is
// requested.
func lacks(t *testing.T, needs *cliversion.Capability) {
	t.Helper()
	install(t)
	if needs == nil {
		return
	}
	if reason := installed.version.Lacks(*needs); reason != "" {
		t.Skip(reason)
	}
}

// says fails a test unless an output contains a text, however the terminal's width breaks
// its lines.
func says(t *testing.T, output, want string) {
	t.Helper()
	margins := strings.NewReplacer("│", " ", "╷", " ", "╵", " ")
	if joined := strings.Join(strings.Fields(margins.Replace(output)), " "); !strings.Contains(joined, want) {
		t.Errorf("the output: got\n%s\nwant %q in it", output, want)
	}
}
