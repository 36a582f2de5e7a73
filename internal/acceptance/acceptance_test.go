package acceptance

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/pluginserver"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider"
)

// testSpeed is the speed of the fake's clock. It shortens the creation of an instance
// from 480 s to 0.2 s.
const testSpeed = 2400

// soonOver is a timeout that expires while the fake holds a request or a job. It is long
// enough for the earlier requests, even on a busy machine.
const soonOver = "20s"

// startFake serves a fake for one test. Every exchange with it is checked
// against the OpenAPI document; a violation fails the test.
func startFake(t *testing.T) *fakeservicetest.Server {
	t.Helper()
	return fakeservicetest.Start(t, func(o *fakeservice.Options) { o.Speed = testSpeed })
}

// providers returns the provider under test, served in this process.
func providers() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"hosting": func() (tfprotov6.ProviderServer, error) { return newServer(), nil },
	}
}

// unknowns counts the unknown values that the provider kept out of states, in all tests.
var unknowns atomic.Int64

// quickLag is the time for which the provider waits for reads that lag. The reads of most
// tests do not; the tests of lagging reads take the built program.
const quickLag = 3 * time.Second

// newServer returns the provider's server as a release serves it.
func newServer(options ...provider.Option) tfprotov6.ProviderServer {
	return provider.NewServer("test", append(options, provider.WithUnknowns(&unknowns), provider.WithReadLag(quickLag))...)
}

// config returns a configuration for a fake: the provider block, followed by body.
func config(fake *fakeservicetest.Server, body string, args ...any) string {
	return fmt.Sprintf("provider \"hosting\" {\n  base_url = %q\n  api_key  = %q\n}\n\n", fake.BaseURL, fakeservicetest.APIKey) +
		fmt.Sprintf(body, args...)
}

// run runs acceptance steps in parallel with those of other tests.
func run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	needsCLI(t)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: providers(),
		Steps:                    steps,
	})
}

// emptyPlan checks that a plan after the apply has no changes.
var emptyPlan = resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}

// plans checks the planned action for a resource, and that the plan after the apply is
// empty.
func plans(address string, action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

// refuses returns a step that fails with text. Terraform wraps the lines of a diagnostic,
// so a space also matches any run of white space and margin.
func refuses(configuration, text string) resource.TestStep {
	return resource.TestStep{Config: configuration, ExpectError: wrapped(text)}
}

func wrapped(text string) *regexp.Regexp {
	return regexp.MustCompile(regexp.MustCompile(`\s+`).ReplaceAllString(regexp.QuoteMeta(text), `[\s│]+`))
}

// onlyInstance returns the id of the one instance of the fake.
func onlyInstance(t *testing.T, fake *fakeservicetest.Server) string {
	t.Helper()
	instances := fake.Instances()
	if len(instances) != 1 {
		t.Fatalf("instances of the fake: got %d, want 1", len(instances))
	}
	return instances[0].ID
}

// environment is the environment of the CLIs. This process itself writes no logs.
var environment = os.Environ()

func TestMain(m *testing.M) {
	tier.Change.Select()
	if err := pluginserver.QuietLogs(environment, os.Setenv); err != nil {
		panic(err) // the names have the right form
	}
	addSweepers()
	if flag.Lookup("sweep").Value.String() != "" {
		resource.TestMain(m) // runs the sweepers and no test
		return
	}
	code := m.Run()
	if n := unknowns.Load(); n > 0 {
		fmt.Printf("FAIL: %d unknown values had to be kept out of states: a computed attribute is missing in computed() of its model, or in setRecord\n", n)
		code = 1
	}
	if builtProvider.folder != "" {
		os.RemoveAll(builtProvider.folder)
	}
	os.Exit(code)
}

// terraformState is the type of the state that check functions get.
type terraformState = terraform.State
