package provider_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"

	goversion "github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
)

// A capability is something that not every CLI has. A test that needs it is
// skipped by version on a CLI without it, which is the one reason for which a
// test may be skipped where HOSTING_TEST_STRICT=1 says that all else is there.
type capability struct {
	name            string
	terraform, tofu *goversion.Version // since which; nil where it has none
}

var (
	resourceIdentity = capability{"resource identity", tfversion.Version1_12_0, tfversion.Version1_12_0}
	listResources    = capability{"list resources", tfversion.Version1_14_0, nil}
	providerActions  = capability{"actions", tfversion.Version1_14_0, nil}
	actionFailures   = capability{"on_failure of action triggers", version1_16, nil}
	destroyTriggers  = capability{"before_destroy of action triggers", version1_16, nil}
	lifecycleDestroy = capability{"destroy in lifecycle", version1_16, tfversion.Version1_12_0}
	lifecycleEnabled = capability{"enabled in lifecycle", nil, tfversion.Version1_11_0}
)

var version1_16 = goversion.Must(goversion.NewVersion("1.16.0"))

// skippedByVersion begins the message of each such skip; cmd/testmatrix counts
// by it.
const skippedByVersion = "skipped by version: "

// A cliVersion is which CLI a program is.
type cliVersion struct {
	product string // Terraform or OpenTofu
	version *goversion.Version
}

// lacks says why a CLI does not have a capability; "" when it has it.
func (v cliVersion) lacks(c capability) string {
	since := c.terraform
	if v.product == "OpenTofu" {
		since = c.tofu
	}
	switch {
	case since == nil:
		return fmt.Sprintf("%s%s %s has no %s", skippedByVersion, v.product, v.version, c.name)
	case v.version.LessThan(since):
		return fmt.Sprintf("%s%s %s has no %s, which came with %s", skippedByVersion, v.product, v.version, c.name, since)
	default:
		return ""
	}
}

// plansEphemerals tells whether the CLI counts the opening of an ephemeral
// resource as a change in what it shows of a plan as JSON, where the testing
// framework looks. OpenTofu 1.11.6 does, 1.12.6 does not.
func (v cliVersion) plansEphemerals() bool {
	return v.product == "OpenTofu" && v.version.LessThan(tfversion.Version1_12_0)
}

// cliUnderTest is the CLI that the tests run.
func cliUnderTest() string {
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path
	}
	return "terraform"
}

var versionUnderTest = sync.OnceValues(func() (cliVersion, error) { return versionOf(cliUnderTest()) })

var versionLine = regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\S+)`)

// versionOf asks a program which CLI it is.
func versionOf(cli string) (cliVersion, error) {
	command := exec.Command(cli, "version")
	command.Env = append(os.Environ(), "CHECKPOINT_DISABLE=1")
	output, err := command.Output()
	if err != nil {
		return cliVersion{}, fmt.Errorf("%s version: %w", cli, err)
	}
	parts := versionLine.FindStringSubmatch(string(output))
	if parts == nil {
		return cliVersion{}, fmt.Errorf("%s version answered %q", cli, output)
	}
	version, err := goversion.NewVersion(parts[2])
	return cliVersion{parts[1], version}, err
}

// CheckTerraformVersion makes a capability what a TestCase can ask for.
func (c capability) CheckTerraformVersion(_ context.Context, _ tfversion.CheckTerraformVersionRequest, resp *tfversion.CheckTerraformVersionResponse) {
	version, err := versionUnderTest()
	if err != nil {
		resp.Error = err
		return
	}
	resp.Skip = version.lacks(c)
}

// needs skips a test on a CLI without a capability.
func needs(t *testing.T, c capability) {
	t.Helper()
	needsCLI(t)
	version, err := versionUnderTest()
	if err != nil {
		t.Fatal(err)
	}
	if reason := version.lacks(c); reason != "" {
		t.Skip(reason)
	}
}

// runWith runs acceptance steps on a CLI that has a capability.
func runWith(t *testing.T, c capability, steps ...resource.TestStep) {
	t.Helper()
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: providers(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{c},
		Steps:                    steps,
	})
}

func TestCapabilitiesByVersion(t *testing.T) {
	for text, want := range map[string]string{
		"Terraform v1.11.4\non linux_amd64\n":        "skipped by version: Terraform 1.11.4 has no actions, which came with 1.14.0",
		"Terraform v1.14.0\n":                        "",
		"Terraform v1.16.4\n":                        "",
		"OpenTofu v1.12.6\non linux_amd64\n":         "skipped by version: OpenTofu 1.12.6 has no actions",
		"A warning first.\n\nOpenTofu v1.16.0-rc1\n": "skipped by version: OpenTofu 1.16.0-rc1 has no actions",
	} {
		cli := t.TempDir() + "/cli"
		if err := os.WriteFile(cli, []byte("#!/bin/sh\ncat <<'end'\n"+text+"end\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		version, err := versionOf(cli)
		if err != nil {
			t.Fatal(err)
		}
		if got := version.lacks(providerActions); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The table in the documentation says since when each CLI has what.
func TestCapabilitiesAsDocumented(t *testing.T) {
	index := fileText(t, "../../templates/index.md.tmpl")
	for row, capabilities := range map[string][]capability{
		"identity, and import by it":                               {resourceIdentity},
		"lists (`terraform query`), actions":                       {listResources, providerActions},
		"`on_failure` and `before_destroy` of an `action_trigger`": {actionFailures, destroyTriggers},
		"`destroy = false` in `lifecycle`":                         {lifecycleDestroy},
		"`enabled` in `lifecycle`":                                 {lifecycleEnabled},
	} {
		for _, c := range capabilities {
			if line := fmt.Sprintf("| %s | %s | %s |", row, since(c.terraform), since(c.tofu)); !strings.Contains(index, line) {
				t.Errorf("the index does not have the row %q", line)
			}
		}
	}
}

// since is a version as the documentation writes it.
func since(version *goversion.Version) string {
	if version == nil {
		return "no"
	}
	return fmt.Sprintf("%d.%d", version.Segments()[0], version.Segments()[1])
}
