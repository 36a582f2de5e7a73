package acceptance

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A settingCase contains the data of the tests for one of an instance's three settings.
// The tests are otherwise the same.
type settingCase struct {
	resource  string // resource type
	first     string // arguments, without instance_id
	others    []string
	drift     func(*fakeservice.Instance)
	operation string
	// later contains arguments with values that are unknown when planning.
	// terraform_data.later.output is "later".
	later   string
	invalid map[string]string // from arguments to the text of the error
	// reset reports whether an instance is in the state that destroying the resource
	// leaves.
	reset func(fakeservice.Instance) bool
	// verifyIgnore lists attributes that only the provider knows.
	verifyIgnore []string
}

func settingCases() []settingCase {
	return []settingCase{
		{
			resource: "hosting_allowlist",
			first:    `cidrs = ["203.0.113.7", "198.51.100.0/24"]`,
			others: []string{
				`cidrs = ["2001:db8::/32"]`,
				`cidrs = ["2001:db8::/32"]` + "\n" + `on_destroy = "open"`,
				`cidrs = []` + "\n" + `on_destroy = "open"`,
				`cidrs = ["203.0.113.7/32", "198.51.100.0/24"]` + "\n" + `on_destroy = "open"`,
			},
			drift:     func(i *fakeservice.Instance) { i.Allowlist = []string{"192.0.2.1"} },
			operation: "allowlist",
			later:     `cidrs = ["${length(terraform_data.later.output)}.0.0.0/8"]`,
			invalid: map[string]string{
				`cidrs = [""]`:                               `cidrs contains an empty address`,
				`cidrs = ["nonsense"]`:                       `"nonsense" is neither an IP address nor a CIDR block`,
				`cidrs = ["203.0.113.7/24"]`:                 `the block is 203.0.113.0/24`,
				`cidrs = ["203.0.113.7", "203.0.113.7/32"]`:  `are the same block`,
				`cidrs = ["fe80::1%eth0"]`:                   `is neither an IP address nor a CIDR block`,
				`cidrs = []` + "\n" + `on_destroy = "maybe"`: `on_destroy`,
			},
			reset:        func(i fakeservice.Instance) bool { return len(i.Allowlist) == 0 },
			verifyIgnore: []string{"on_destroy"},
		},
		{
			resource:  "hosting_console_mode",
			first:     `mode = "ro"`,
			others:    []string{`mode = "rw"`, `mode = "off"`, `mode = "ro"`},
			drift:     func(i *fakeservice.Instance) { i.ConsoleMode = "off" },
			operation: "console",
			later:     `mode = terraform_data.later.output == "later" ? "rw" : "ro"`,
			invalid:   map[string]string{`mode = ""`: `mode must not be empty.`},
			reset:     func(i fakeservice.Instance) bool { return i.ConsoleMode == "off" },
		},
		{
			resource: "hosting_auth_settings",
			first:    `site_url = "https://app.example"` + "\n" + `redirect_urls = ["https://app.example/**", "https://b.example/**"]`,
			others: []string{
				`site_url = "https://other.example"` + "\n" + `redirect_urls = ["https://app.example/**", "https://b.example/**"]`,
				`site_url = "https://other.example"` + "\n" + `redirect_urls = ["https://b.example/**"]`,
				`site_url = "https://other.example"` + "\n" + `redirect_urls = []`,
				`site_url = "https://other.example"`,
			},
			drift:     func(i *fakeservice.Instance) { i.Engines["auth"].SiteURL = "https://drifted.example" },
			operation: "auth_settings",
			later:     `site_url = "https://${terraform_data.later.output}.example"` + "\n" + `redirect_urls = ["https://${terraform_data.later.output}.example/**"]`,
			invalid: map[string]string{
				`site_url = "app.example"`: `site_url must be an absolute URL, like https://example.com.`,
				`site_url = "https://app.example"` + "\n" + `redirect_urls = [""]`: `redirect_urls`,
			},
			reset: func(i fakeservice.Instance) bool {
				return i.Engines["auth"].SiteURL == "" && len(i.Engines["auth"].RedirectURLs) == 0
			},
		},
	}
}

// with returns a configuration of the setting with arguments, on the test instance.
func (c settingCase) with(fake *fakeservicetest.Server, arguments string) string {
	return config(fake, "%s", c.hcl(arguments))
}

func (c settingCase) hcl(arguments string) string {
	return fmt.Sprintf(`%s
resource %q "test" {
  instance_id = hosting_instance.test.id
  %s
}`, appsInstance, c.resource, arguments)
}

func (c settingCase) address() string { return c.resource + ".test" }

func eachSetting(t *testing.T, test func(*testing.T, settingCase)) {
	for _, c := range settingCases() {
		t.Run(c.resource, func(t *testing.T) { test(t, c) })
	}
}

func TestSettingLifecycle(t *testing.T) {
	t.Parallel()
	eachSetting(t, func(t *testing.T, c settingCase) {
		fake := startFake(t)
		steps := []resource.TestStep{
			{Config: c.with(fake, c.first), ConfigPlanChecks: emptyPlan},
			{
				ResourceName:                         c.address(),
				ImportState:                          true,
				ImportStateIdFunc:                    func(*terraformState) (string, error) { return onlyInstance(t, fake), nil },
				ImportStateVerify:                    true,
				ImportStateVerifyIdentifierAttribute: "instance_id",
				ImportStateVerifyIgnore:              c.verifyIgnore,
			},
		}
		last := c.others[len(c.others)-1]
		for _, arguments := range append(c.others, last+"\ntimeouts = { delete = \"7m\" }") {
			steps = append(steps, resource.TestStep{
				Config:           c.with(fake, arguments),
				ConfigPlanChecks: plans(c.address(), plancheck.ResourceActionUpdate),
			})
		}
		steps = append(steps, resource.TestStep{ // destroying only the setting resets it
			Config: config(fake, "%s", appsInstance),
			Check: func(*terraformState) error {
				if instance := fake.Instances()[0]; !c.reset(instance) {
					t.Errorf("the setting after the destroy: got %+v, want it reset", instance)
				}
				return nil
			},
		})
		run(t, steps...)
	})
}

// jobsOf counts the jobs of an operation.
func jobsOf(fake *fakeservicetest.Server, operation string) int {
	n := 0
	for _, job := range fake.Jobs() {
		if job.Operation == operation {
			n++
		}
	}
	return n
}
