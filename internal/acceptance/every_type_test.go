package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider"
)

// Every type is created, changed and destroyed, in one configuration, also at a service that
// writes numbers in another form.
func TestLifecycleOfEveryType(t *testing.T) {
	t.Parallel()
	for form, rewrite := range map[string]func(value any) any{
		"as ever": func(value any) any { return value },
		"numbers with a point": func(value any) any {
			if number, ok := value.(float64); ok {
				return json.RawMessage(fmt.Sprintf("%.1f", number))
			}
			return value
		},
		"numbers as strings": func(value any) any {
			if number, ok := value.(float64); ok {
				return fmt.Sprint(number)
			}
			return value
		},
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			fake, _ := startRecorded(t)
			w := newWorkspaceBeside(t, front{answer: func(_ *http.Request, answer any) any { return rewritten(answer, rewrite) }}.before(t, fake), "")
			for _, name := range []string{"before", "after"} {
				w.write("main.tf", everyType(t, name))
				w.apply()
				w.mustBeSettled()
			}
			w.destroysAll(fake)
		})
	}
}

// rewritten returns an answer with each value in it, and the whole, in another form.
func rewritten(answer any, rewrite func(value any) any) any {
	switch value := answer.(type) {
	case []any:
		for i := range value {
			value[i] = rewritten(value[i], rewrite)
		}
	case map[string]any:
		for key := range value {
			value[key] = rewritten(value[key], rewrite)
		}
	}
	return rewrite(answer)
}

// A state that the oldest CLI wrote has no identities. Without a refresh, no Read adds
// them before the update.
func TestStateOfTheOldestCLIIsUpdatedWithoutARefresh(t *testing.T) {
	tier.Night.Only(t)
	needsCLI(t)
	oldest := os.Getenv("HOSTING_TEST_OLDEST_CLI")
	if oldest == "" {
		machine.Lacks(t, "HOSTING_TEST_OLDEST_CLI does not name the oldest CLI, as make test-all and make test-matrix do")
	}
	fake, sql := startRecorded(t)
	w := newWorkspace(t, fake, "")
	w.write("main.tf", everyType(t, "before"))
	newest := w.cli
	w.cli = oldest
	w.apply()
	w.mustBeSettled()
	must(t, !strings.Contains(w.read("terraform.tfstate"), `"identity":`), "the oldest CLI stored identities")

	w.cli = newest
	w.write("main.tf", everyType(t, "after"))
	if r := w.run("plan", "-refresh=false", "-out=plan", "-no-color"); r.exit != 0 {
		t.Fatalf("the plan: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	want := map[string]string{"hosting_postgres_script.secret": "update"}
	for _, name := range managedTypes(t) {
		want[name+".test"] = "update"
	}
	if diff := cmp.Diff(want, w.planned("plan")); diff != "" {
		t.Fatalf("the planned actions (-want +got):\n%s", diff)
	}
	if r := w.run("apply", "-no-color", "plan"); r.exit != 0 {
		t.Fatalf("the apply: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	w.mustBeSettled()
	if r := w.run("destroy", "-auto-approve", "-no-color"); r.exit != 0 {
		t.Fatalf("destroy: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	if instances, webhooks := len(fake.Instances()), len(fake.Webhooks()); instances != 1 || webhooks != 0 { // i-one existed before the apply
		t.Errorf("after the destroy: got %d instances and %d webhook endpoints, want 1 and none", instances, webhooks)
	}
	must(t, len(sql.statements()) == 4, "statements: got %q, want four", sql.statements()) // two scripts, each twice
}

// everyType returns the configuration of the newest golden states, with at least one
// resource of every type.
func everyType(t *testing.T, name string) string {
	t.Helper()
	states := goldenStates(t)
	return fileText(t, states[len(states)-1].edition+"/"+name+".tf")
}

// managedTypes returns the names of the provider's resource types.
func managedTypes(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, create := range provider.New("test")().Resources(t.Context()) {
		var meta resource.MetadataResponse
		create().Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "hosting"}, &meta)
		names = append(names, meta.TypeName)
	}
	return names
}

// planned returns the action of a saved plan for each resource, such as "update".
func (w *workspace) planned(file string) map[string]string {
	w.t.Helper()
	output, err := w.command("show", "-json", file).Output()
	must(w.t, err == nil, "show %s: %v", file, err)
	var plan struct {
		Changes []struct {
			Address string
			Change  struct{ Actions []string }
		} `json:"resource_changes"`
	}
	err = json.Unmarshal(output, &plan)
	must(w.t, err == nil, "the plan as JSON: %v", err)
	actions := map[string]string{}
	for _, change := range plan.Changes {
		actions[change.Address] = strings.Join(change.Change.Actions, ", ")
	}
	return actions
}

// destroysAll runs a destroy that must leave only the seeded objects.
func (w *workspace) destroysAll(fake *fakeservicetest.Server) {
	w.t.Helper()
	r := w.run("destroy", "-auto-approve", "-no-color")
	must(w.t, r.exit == 0, "the destroy ended with exit %d:\n%s", r.exit, r.output)
	instances := fake.Instances()
	must(w.t, len(instances) == 1 && instances[0].ID == "i-one" && len(fake.Webhooks()) == 0, "%d instances and %d endpoints are left", len(instances), len(fake.Webhooks()))
}
