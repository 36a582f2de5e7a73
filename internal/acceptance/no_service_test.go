package acceptance

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// manyCreations returns several resources that a plan checks with the service.
func manyCreations() string {
	var b strings.Builder
	for _, name := range []string{"one", "two", "three"} {
		b.WriteString(strings.Replace(instanceHCL(plainInstance), `"test" {`, fmt.Sprintf("%q {", name), 1))
		fmt.Fprintf(&b, "resource \"hosting_webhook_endpoint\" %q {\n  url = \"https://hooks.example/%s\"\n}\n", name, name)
	}
	return b.String() + strings.Replace(appOn(`"i-one"`, "name = \"shop\"\nmemory_mb = 512\nlinks = [\"auth\"]"), `"test"`, `"shop"`, 1)
}

// mustSayOnce asserts that a plan ends with one error and does not warn of unchecked
// values.
func mustSayOnce(t *testing.T, r result, summary string) {
	t.Helper()
	if errors := strings.Count(r.output, "Error: "); r.exit != 1 || errors != 1 || !strings.Contains(r.output, "Error: "+summary) || strings.Contains(r.output, "could not be checked") {
		t.Errorf("the run: got exit %d and %d errors, want 1 and one, %s, without an announced check:\n%s", r.exit, errors, summary, r.output)
	}
}

func TestServiceThatCannotBeUsedIsOneError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env     func(*testing.T) string
		fault   fakeservice.Fault
		summary string
	}{
		"a key that is not valid":   {env: func(*testing.T) string { return "HOSTING_API_KEY=hk_another" }, summary: "The API key is not valid"},
		"nobody listens":            {env: func(t *testing.T) string { return "HOSTING_BASE_URL=http://" + reserveAddress(t) + "/api/v1" }, summary: "The service did not answer"},
		"a gateway without service": {fault: fakeservice.Fault{Times: -1, Page: http.StatusBadGateway}, summary: "The service did not answer"},
		"a catalogue that is not for the key": {fault: fakeservice.Fault{Path: "/plans", Times: -1, Status: http.StatusUnauthorized, Code: "unauthorized"},
			summary: "The API key is not valid"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := seeded(t)
			w := newWorkspace(t, fake, manyCreations())
			applied := newWorkspaceBeside(t, fake, "")
			applied.write("main.tf", applied.read("main.tf")+manyCreations())
			applied.apply()
			before := applied.read("terraform.tfstate")
			if c.env != nil {
				change := c.env(t)
				w.env, applied.env = append(w.env, change), append(applied.env, change)
			} else {
				fake.Inject(c.fault)
			}
			mustSayOnce(t, w.run("plan", "-no-color"), c.summary)
			if c.fault.Path == "" {
				mustSayOnce(t, applied.run("plan", "-no-color"), c.summary)
			}
			must(t, applied.read("terraform.tfstate") == before, "the state has changed")
		})
	}
}

// In an apply, each change has to fail, although planning it has already reported the
// key.
func TestEachChangeFailsWithAKeyThatIsNotValid(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, manyCreations())
	w.configure(strings.SplitN(manyCreations(), "resource \"hosting_app\"", 2)[0])
	w.says(0, nil, "plan", "-out=saved")
	w.env = append(w.env, "HOSTING_API_KEY=hk_another")
	r := w.run("apply", "-no-color", "saved")
	must(t, r.exit == 1, "the apply: got exit %d, want 1:\n%s", r.exit, r.output)
	if _, err := os.Stat(w.folder + "/terraform.tfstate"); err == nil && len(w.managed()) != 0 {
		t.Errorf("the state: got %q, want nothing", w.managed())
	}
}

// If only the catalogue fails, its values are not checked, and the plan is made.
func TestCatalogueThatFailsAloneIsAWarning(t *testing.T) {
	fake := seeded(t)
	for _, path := range []string{"/plans", "/locations"} {
		fake.Inject(fakeservice.Fault{Path: path, Times: -1, Drop: true})
	}
	w := newWorkspace(t, fake, manyCreations())
	w.says(0, []string{"Warning: The plan could not be checked", "Warning: The region could not be checked"}, "plan")
}

// An app is planned if its instance answers, although the catalogue is requested first
// and fails.
func TestAppIsPlannedWithoutTheCatalogue(t *testing.T) {
	fake := seededApps(t)
	fake.Inject(fakeservice.Fault{Path: "/plans", Times: -1, Drop: true})
	w := newWorkspace(t, fake, appOn(`"i-one"`, "name = \"app\"\nmemory_mb = 512"))
	w.says(0, []string{"Warning: The memory_mb could not be checked", "1 to add"}, "plan")
}
