package toolchain

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
)

// policies is the folder with the rules in the repository.
const policies = repository + "/examples/policy"

// another returns the configuration of an instance in addition to the guestbook's.
// allowlist has the arguments of its allowlist.
func another(allowlist string) string {
	return `resource "hosting_instance" "another" {
  name    = "another"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = {} }
}

resource "hosting_allowlist" "another" {
  instance_id = hosting_instance.another.id
  ` + allowlist + `
}
`
}

// Forbidden settings, and only these, are found in a plan before it is applied.
func TestPolicies(t *testing.T) {
	t.Parallel()
	service := hostingtest.Start(t)
	w := newWorkspace(t, repository+"/examples/guestbook", "HOSTING_BASE_URL="+service.BaseURL, "HOSTING_API_KEY="+service.APIKey)
	given := []string{"-var=plan=free", "-var=region=eu-central", "-var=repo=acme/guestbook"}
	rows := []struct {
		name      string
		variables []string // of the guestbook
		beside    string   // additional configuration
		denied    []string
	}{
		{name: "the guestbook as it is"},
		{
			name:      "some addresses, a fleet, and no protection where it is not production",
			variables: []string{`allowed_cidrs=["203.0.113.0/24", "203.0.113.7", "2001:db8::/32"]`, "deletion_protection=false"},
			beside: "locals {\n  fleet = toset([\"a\", \"b\"])\n}\n" + strings.NewReplacer(
				`"hosting_instance" "another" {`, `"hosting_instance" "another" {`+"\n  for_each = local.fleet",
				`"hosting_allowlist" "another" {`, `"hosting_allowlist" "another" {`+"\n  for_each = hosting_instance.another",
				"hosting_instance.another.id", "each.value.id",
			).Replace(another(`cidrs = ["203.0.113.7"]`)),
		},
		{name: "everybody", variables: []string{`allowed_cidrs=["0.0.0.0/0", "::/0", "203.0.113.7"]`}, denied: []string{
			"hosting_allowlist.this: 0.0.0.0/0 lets too many in, a prefix must be /16 or longer.",
			"hosting_allowlist.this: ::/0 lets too many in, a prefix must be /32 or longer.",
		}},
		{name: "everybody, in halves", variables: []string{`allowed_cidrs=["0.0.0.0/1", "128.0.0.0/1"]`}, denied: []string{
			"hosting_allowlist.this: 0.0.0.0/1 lets too many in, a prefix must be /16 or longer.",
			"hosting_allowlist.this: 128.0.0.0/1 lets too many in, a prefix must be /16 or longer.",
		}},
		{name: "nobody listed", variables: []string{`allowed_cidrs=[]`}, denied: []string{
			"hosting_allowlist.this: an empty list opens the instance to the internet.",
		}},
		{
			name:   "not known yet, and opened by its destruction",
			beside: another("cidrs = [hosting_instance.another.host]\n  on_destroy = \"open\""),
			denied: []string{
				`hosting_allowlist.another: its addresses are known only when it is applied.`,
				`hosting_allowlist.another: on_destroy = "open" opens the instance when the list is destroyed.`,
			},
		},
		{
			name:   "a list that is for another",
			beside: strings.Replace(another(`cidrs = ["203.0.113.7"]`), "hosting_instance.another.id", "hosting_instance.this.id", 1),
			denied: []string{
				"hosting_instance.another: no hosting_allowlist beside it is for it, so that it is open to the internet.",
			},
		},
		{
			name:      "in production without protection, on a plan that is not agreed on",
			variables: []string{"deletion_protection=false", `tags=["production"]`, "plan=large"},
			denied: []string{
				"hosting_app.this: deletion_protection must stay true in production.",
				"hosting_instance.this: deletion_protection must stay true in production.",
				"hosting_instance.this: the plan large is none of free, small.",
			},
		},
	}
	for _, row := range rows {
		arguments := slices.Concat([]string{"plan", "-no-color", "-input=false", "-out=plan.tfplan"}, given)
		for _, variable := range row.variables {
			arguments = append(arguments, "-var="+variable)
		}
		w.write("beside.tf", row.beside)
		w.run(arguments...)
		w.write("plan.json", w.run("show", "-json", "plan.tfplan"))
		if diff := cmp.Diff(row.denied, denials(t, filepath.Join(w.folder, "plan.json"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

// denials returns conftest's objections to a plan, sorted.
func denials(t *testing.T, plan string) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), Find(t, repository, "conftest"), "test", "--policy", policies, "--output", "json", plan)
	output, err := command.Output()
	var results []struct{ Failures []struct{ Msg string } }
	if wrong := json.Unmarshal(output, &results); wrong != nil || len(results) != 1 {
		t.Fatalf("%s: %v, %v\n%s", command, err, wrong, output)
	}
	var said []string
	for _, failure := range results[0].Failures {
		said = append(said, failure.Msg)
	}
	if (err != nil) != (len(said) > 0) {
		t.Errorf("conftest: got the end %v with %q, want an error if and only if something is denied", err, said)
	}
	slices.Sort(said)
	return said
}

// The rules are formatted as conftest formats them.
func TestPoliciesAreFormatted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(policies)); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.CommandContext(t.Context(), Find(t, repository, "conftest"), "fmt", "--check", folder).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
