package acceptance

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	goversion "github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
)

// A capability is a feature that only some CLIs have, as defined in package cliversion.
type capability struct{ cliversion.Capability }

var (
	resourceIdentity = capability{cliversion.ResourceIdentity}
	listResources    = capability{cliversion.ListResources}
	providerActions  = capability{cliversion.ProviderActions}
	actionFailures   = capability{cliversion.ActionFailures}
	destroyTriggers  = capability{cliversion.DestroyTriggers}
	lifecycleDestroy = capability{cliversion.LifecycleDestroy}
	lifecycleEnabled = capability{cliversion.LifecycleEnabled}
)

// plansEphemerals reports whether the CLI counts the opening of an ephemeral resource as
// a change in its JSON plan, which the testing framework reads. OpenTofu 1.11.6 does,
// 1.12.6 does not.
func plansEphemerals(v cliversion.Version) bool {
	return v.Product == cliversion.OpenTofu && v.Number.LessThan(tfversion.Version1_12_0)
}

var versionUnderTest = sync.OnceValues(func() (cliversion.Version, error) {
	return cliversion.Of(context.Background(), cliversion.UnderTest())
})

// CheckTerraformVersion lets a TestCase require a capability.
func (c capability) CheckTerraformVersion(_ context.Context, _ tfversion.CheckTerraformVersionRequest, resp *tfversion.CheckTerraformVersionResponse) {
	version, err := versionUnderTest()
	if err != nil {
		resp.Error = err
		return
	}
	resp.Skip = version.Lacks(c.Capability)
}

// needs skips a test if the CLI lacks a capability.
func needs(t *testing.T, c capability) {
	t.Helper()
	needsCLI(t)
	version, err := versionUnderTest()
	if err != nil {
		t.Fatal(err)
	}
	if reason := version.Lacks(c.Capability); reason != "" {
		t.Skip(reason)
	}
}

// runWith runs acceptance steps on a CLI that has a capability.
func runWith(t *testing.T, c capability, steps ...resource.TestStep) {
	t.Helper()
	needsCLI(t)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: providers(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{c},
		Steps:                    steps,
	})
}

// TestCapabilitiesAsDocumented checks the guide's table of the CLI version that each
// feature needs.
func TestCapabilitiesAsDocumented(t *testing.T) {
	guide := fileText(t, "../../templates/guides/versions-and-upgrades.md")
	for row, capabilities := range map[string][]capability{
		"resource identity, and import by it":                      {resourceIdentity},
		"`terraform query` and actions":                            {listResources, providerActions},
		"`on_failure` and `before_destroy` of an `action_trigger`": {actionFailures, destroyTriggers},
		"`destroy = false` in the `lifecycle` of a resource":       {lifecycleDestroy},
		"`enabled` in `lifecycle`":                                 {lifecycleEnabled},
	} {
		for _, c := range capabilities {
			if line := fmt.Sprintf("| %s | %s | %s |", row, since(c.Terraform), since(c.Tofu)); !strings.Contains(guide, line) {
				t.Errorf("the guide: got no row %q, want one", line)
			}
		}
	}
}

// since returns a version in the form that the documentation uses.
func since(version *goversion.Version) string {
	if version == nil {
		return "no"
	}
	return fmt.Sprintf("%d.%d", version.Segments()[0], version.Segments()[1])
}
