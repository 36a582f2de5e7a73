package simulation

import (
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
)

// A transcriptScenario is a sequence of commands of one CLI, whose calls of the provider
// are recorded. The transcripts of real CLIs are in testdata/transcripts; the test records
// those of the simulated one.
type transcriptScenario struct {
	name string
	// begin is the configuration before the first step.
	begin beginning
	steps []step
	// createsFirst is the address of a resource with create_before_destroy.
	createsFirst string
	// needs is the capability that the CLI must have, or nil for a scenario that all CLIs
	// can play.
	needs *cliversion.Capability
}

const databaseAddress = "hosting_postgres_database.this"

func at(a argument, value int) edit { return edit{a, value} }

// firstSteps are the scenarios of one command with which others begin.
var firstSteps = []string{"create one", "create all"}

// minimalRefresher is the CLI that has -minimal-refresh. It is a beta: nothing else of it is
// recorded, and the simulated CLI takes the flag as a Terraform 1.16.
const minimalRefresher = "terraform-1.17"

// minimalRefreshScenarios returns the scenarios of -minimal-refresh.
func minimalRefreshScenarios() []transcriptScenario {
	first := step{Edits: []edit{at(argScript, 0), at(argEphemeral, 0)}}
	with := func(edits ...edit) step { return step{Flags: planningTwice, Edits: edits} }
	return []transcriptScenario{
		{name: "create all", begin: everything, steps: []step{first}},
		{name: "minimal refresh, nothing changes", begin: everything, steps: []step{first, with()}},
		{name: "minimal refresh, update", begin: everything, steps: []step{first, with(at(argTags, 1), at(argAllowlist, 2), at(argPort, 1))}},
		{name: "minimal refresh, replace one in the middle", begin: everything, steps: []step{first, with(at(argDatabase, 2))}},
		{name: "minimal refresh, taken out of the configuration", begin: everything, steps: []step{first, with(at(argApp, 0))}},
		{name: "minimal refresh, destroy", begin: everything, steps: []step{first, {Verb: destroy, Flags: planningTwice}}},
		{name: "minimal refresh, gone at the service", begin: everything, steps: []step{first, {Flags: planningTwice, Edits: []edit{at(argPort, 1)}, Deeds: []deed{{deletesApp, 0}}}}},
	}
}

// transcriptScenarios returns the scenarios that the simulated CLI can play.
func transcriptScenarios() []transcriptScenario {
	// Statements need a database, and do not concern the CLI.
	plain := []edit{at(argScript, 0), at(argEphemeral, 0)}
	first := step{Edits: plain}
	// Objects that need no instance may or may not have been started before an interrupt.
	onInstance := slices.Concat(plain, []edit{at(argProfile, 0), at(argEndpoint, 0)})
	target := func(address string) int {
		c := everything.configuration()
		c.edit(plain)
		return slices.IndexFunc(c.blocks(), func(b block) bool { return b.address == address })
	}
	inState := func(address string) int {
		c := everything.configuration()
		c.edit(plain)
		return slices.Index(sortedNames(byAddress(c.blocks())), address)
	}
	return []transcriptScenario{
		{name: "create one", begin: oneInstance, steps: []step{{}}},
		{name: "create all", begin: everything, steps: []step{first}},
		{name: "nothing changes", begin: everything, steps: []step{first, {}}},
		{name: "nothing changes without a refresh", begin: everything, steps: []step{first, {Flags: withoutRefresh}}},
		{name: "update", begin: everything, steps: []step{first, {Edits: []edit{at(argTags, 1), at(argEnv, 2), at(argAllowlist, 2), at(argEndpoint, 2)}}}},
		{name: "update one by one", begin: everything, steps: []step{first, {Flags: oneByOne, Edits: []edit{at(argTags, 1), at(argEnv, 2), at(argConsole, 2)}}}},
		{name: "update without a refresh", begin: everything, steps: []step{first, {Flags: withoutRefresh, Edits: []edit{at(argTags, 1), at(argPort, 1)}}}},
		{name: "update of a write-only value", begin: everything, steps: []step{first, {Edits: []edit{at(argSecretEnv, 2), at(argEndpointSecret, 3)}}}},
		{name: "a default is left out", begin: everything, steps: []step{first, {Edits: []edit{at(argEnv, 0), at(argTags, 2)}}, {Edits: []edit{at(argTags, 0)}}}},
		{name: "replace the lowest", begin: everything, steps: []step{first, {Edits: []edit{at(argRegion, 1)}}}},
		{name: "replace one in the middle", begin: everything, steps: []step{first, {Edits: []edit{at(argDatabase, 2), at(argExtension, 2)}}, {Edits: []edit{at(argDatabase, 1)}}}},
		{name: "replace by a flag", begin: everything, steps: []step{first, {Verb: replace, Target: inState(appAddress)}}},
		{name: "replace the lowest by a flag", begin: everything, steps: []step{first, {Verb: replace, Target: inState(webAddress)}}},
		{name: "tainted by hand", begin: everything, steps: []step{first, {Verb: taint, Target: inState(appAddress)}, {}}},
		{name: "tainted by hand without a refresh", begin: everything, steps: []step{first, {Verb: taint, Target: inState(webAddress)}, {Flags: withoutRefresh}}},
		{name: "target", begin: everything, steps: []step{{Verb: targeted, Target: target(appAddress), Edits: plain}, {}}},
		{name: "target with a change elsewhere", begin: everything, steps: []step{first, {Verb: targeted, Target: target(appAddress), Edits: []edit{at(argTags, 1), at(argAllowlist, 2), at(argPort, 1)}}}},
		{name: "refresh only", begin: everything, steps: []step{first, {Verb: refresh, Deeds: []deed{{addsTag, 0}}}, {}}},
		{name: "changed in the portal", begin: everything, steps: []step{first, {Deeds: []deed{{addsTag, 0}}}}},
		{name: "gone at the service", begin: everything, steps: []step{first, {Deeds: []deed{{deletesApp, 0}}}}},
		{name: "the lowest is gone at the service", begin: everything, steps: []step{first, {Deeds: []deed{{deletesInstance, 0}}}}},
		{name: "taken out of the configuration", begin: everything, steps: []step{first, {Edits: []edit{at(argApp, 0), at(argExtension, 0), at(argDatabase, 0)}}}},
		{name: "destroy", begin: everything, steps: []step{first, {Verb: destroy}}},
		{name: "destroy without a refresh", begin: everything, steps: []step{first, {Verb: destroy, Flags: withoutRefresh}}},
		{name: "destroy what is gone", begin: oneInstance, steps: []step{{}, {Verb: destroy, Deeds: []deed{{deletesInstance, 0}}}}},
		{name: "interrupted creation", begin: oneInstance, steps: []step{{Cut: cut{interrupt, 1, true}}, {}}},
		{name: "interrupted creation with others to come", begin: everything, steps: []step{{Edits: onInstance, Cut: cut{interrupt, 1, true}}, {}}},
		{name: "failed creation", begin: oneInstance, steps: []step{{Deeds: []deed{{failsCreation, 0}}}, {}}},
		{name: "failed creation with others to come", begin: everything, steps: []step{{Edits: plain, Deeds: []deed{{failsCreation, 0}}}, {}}},
		{name: "failed update", begin: oneInstance, steps: []step{{}, {Edits: []edit{at(argPlan, 1)}, Deeds: []deed{{failsResize, 0}}}, {}}},
		{name: "failed deletion", begin: oneInstance, steps: []step{{}, {Verb: destroy, Deeds: []deed{{failsDeletion, 0}}}, {}}},
		{name: "import by hand", begin: everything, steps: []step{first, {Verb: reimport, Target: inState(appAddress)}, {}}},
		{name: "action", begin: oneInstance, steps: []step{{}, {Verb: rotate}}, needs: &cliversion.ProviderActions},
		{name: "ephemeral", begin: oneInstance, steps: []step{{Edits: []edit{at(argEphemeral, 1)}}, {}, {Verb: destroy}}},
		{name: "create before destroy", begin: everything, steps: []step{first, {Edits: []edit{at(argDatabase, 2)}}, {}}, createsFirst: databaseAddress},
		{name: "import block", begin: everything, steps: []step{first, {Verb: importByID, Target: inState(appAddress)}, {}}},
		{name: "import block with an identity", begin: everything, steps: []step{first, {Verb: importByIdentity, Target: inState(appAddress)}, {}}, needs: &cliversion.ResourceIdentity},
		{name: "moved block", begin: everything, steps: []step{first, {Verb: move, Target: inState(appAddress)}}},
		{name: "removed block", begin: everything, steps: []step{first, {Verb: forget, Target: inState(appAddress)}}},
		{name: "query", begin: oneInstance, steps: []step{{}, {Verb: query}}, needs: &cliversion.ListResources},
	}
}
