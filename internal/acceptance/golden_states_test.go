package acceptance

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
)

// Each edition of the provider leaves its states in testdata/states. They were written by
// the oldest and the newest CLI for the before.tf of the edition. Every later provider
// must read them and plan no change for them. It must also apply the edition's after.tf
// to them.

var edition = flag.String("edition", "", "write the states of an edition anew, into testdata/states")

// A goldenState is a state of an edition.
type goldenState struct{ edition, cli, file string }

func goldenStates(t *testing.T) []goldenState {
	t.Helper()
	files, err := filepath.Glob("testdata/states/*/*.tfstate")
	must(t, err == nil && len(files) > 0, "states: got none (%v), want some", err)
	states := make([]goldenState, len(files))
	for i, file := range files {
		states[i] = goldenState{filepath.Dir(file), strings.TrimSuffix(filepath.Base(file), ".tfstate"), file}
	}
	return states
}

func (g goldenState) String() string { return filepath.Base(g.edition) + "/" + g.cli }

func fileText(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err == nil, "%v", err)
	return string(content)
}

// objects returns the objects of the state.
func (g goldenState) objects(t *testing.T) []goldenObject {
	t.Helper()
	var state struct {
		Resources []struct {
			Type, Name string
			Instances  []goldenObject
		}
	}
	err := json.Unmarshal([]byte(fileText(t, g.file)), &state)
	must(t, err == nil, "%v", err)
	var all []goldenObject
	for _, resource := range state.Resources {
		for _, object := range resource.Instances {
			object.kind, object.name = resource.Type, resource.Name
			all = append(all, object)
		}
	}
	return all
}

// A goldenObject is an object of a state, in the form in which the CLI passes it to the
// provider.
type goldenObject struct {
	kind, name      string
	SchemaVersion   int64           `json:"schema_version"`
	Attributes      json.RawMessage `json:"attributes"`
	IdentityVersion int64           `json:"identity_schema_version"`
	Identity        json.RawMessage `json:"identity"`
	// Private is the private state: a JSON object with values in base64.
	Private []byte `json:"private"`
}

func TestGoldenStatesAreCarriedOn(t *testing.T) {
	t.Parallel()
	needsCLI(t)
	if *edition != "" {
		writeEdition(t, filepath.Join("testdata/states", *edition))
	}
	for _, golden := range goldenStates(t) {
		t.Run(golden.String(), func(t *testing.T) {
			fake, _ := startRecorded(t)
			w := newWorkspace(t, fake, "")
			// Create the objects of the state. The service assigns new ids, which replace
			// those in the state.
			w.write("main.tf", fileText(t, golden.edition+"/before.tf"))
			w.apply()
			made := len(fake.Jobs())
			w.become(golden)
			w.mustBeSettled()
			r := w.run("plan", "-refresh=false", "-detailed-exitcode", "-no-color")
			must(t, r.exit == 0, "the plan without a refresh: got exit %d, want 0:\n%s", r.exit, r.output)

			w.write("main.tf", fileText(t, golden.edition+"/after.tf"))
			r = w.run("plan", "-refresh=false", "-out=plan", "-no-color")
			must(t, r.exit == 0, "the plan: got exit %d, want 0:\n%s", r.exit, r.output)
			updates := map[string]string{}
			for _, object := range golden.objects(t) {
				updates[object.kind+"."+object.name] = "update"
			}
			if diff := cmp.Diff(updates, w.planned("plan")); diff != "" {
				t.Fatalf("the planned actions (-want +got):\n%s", diff)
			}
			must(t, len(fake.Jobs()) == made, "something was done before the update")
			r = w.run("apply", "-no-color", "plan")
			must(t, r.exit == 0, "the apply: got exit %d, want 0:\n%s", r.exit, r.output)
			w.mustBeSettled()
			w.destroysAll(fake)
		})
	}
}

// become replaces the workspace's state with a golden state, in which each object has the
// id and the account of the same object in this workspace.
func (w *workspace) become(golden goldenState) {
	w.t.Helper()
	text := fileText(w.t, golden.file)
	for _, object := range golden.objects(w.t) {
		var attributes map[string]any
		must(w.t, json.Unmarshal(object.Attributes, &attributes) == nil, "%s", object.Attributes)
		now := w.saved(object.kind, object.name)
		must(w.t, now != nil, "there is no %s.%s in this world", object.kind, object.name)
		if was, ok := attributes["id"].(string); ok {
			text = strings.ReplaceAll(text, was, now.Attributes["id"].(string))
		}
		if len(object.Private) > 0 {
			moved := inAccountOf(w.t, object.Private, now.Private)
			text = strings.ReplaceAll(text, base64.StdEncoding.EncodeToString(object.Private), base64.StdEncoding.EncodeToString(moved))
		}
	}
	w.write("terraform.tfstate", text)
}

// inAccountOf returns private state with the account of another one.
func inAccountOf(t *testing.T, private, other []byte) []byte {
	t.Helper()
	var values, others map[string]json.RawMessage
	err := errors.Join(json.Unmarshal(private, &values), json.Unmarshal(other, &others))
	must(t, err == nil, "read the private state: %v", err)
	values["account"] = others["account"]
	moved, err := json.Marshal(values)
	must(t, err == nil, "write the private state: %v", err)
	return moved
}

// writeEdition applies the before.tf of an edition with the oldest and the newest
// Terraform, and writes their states.
func writeEdition(t *testing.T, folder string) {
	t.Helper()
	for _, cli := range []string{os.Getenv("HOSTING_TEST_OLDEST_CLI"), cliversion.UnderTest()} {
		version, err := cliversion.Of(t.Context(), cli)
		must(t, err == nil, "%v", err)
		fake, _ := startRecorded(t)
		w := newWorkspaceBeside(t, fake, "")
		w.cli = cli
		w.write("main.tf", fileText(t, folder+"/before.tf"))
		w.apply()
		w.mustBeSettled()
		parts := version.Number.Segments()
		name := strings.ToLower(version.Product) + "-" + fmt.Sprintf("%d.%d", parts[0], parts[1])
		err = os.WriteFile(filepath.Join(folder, name+".tfstate"), []byte(w.state()), 0o600)
		must(t, err == nil, "%v", err)
	}
}

// The states of the last edition have an object of every type. A state of Terraform 1.11
// has no identities. Every other state has one for each object except scripts.
func TestGoldenStatesAreOfEveryType(t *testing.T) {
	states := goldenStates(t)
	types := managedTypes(t)
	slices.Sort(types)
	for _, golden := range states {
		var kinds []string
		scripts, identified := 0, 0 // a script has no identity
		for _, object := range golden.objects(t) {
			kinds = append(kinds, object.kind)
			if object.kind == "hosting_postgres_script" {
				scripts++
			}
			if len(object.Identity) > 0 {
				identified++
			}
		}
		slices.Sort(kinds)
		kinds = slices.Compact(kinds)
		if golden.edition == states[len(states)-1].edition && !slices.Equal(kinds, types) {
			t.Errorf("types of %s: got %q, want %q", golden, kinds, types)
		}
		if oldest := strings.HasSuffix(golden.cli, "-1.11"); oldest && identified > 0 || !oldest && identified != len(golden.objects(t))-scripts {
			t.Errorf("identities of %s: got %d, want none of Terraform 1.11, and otherwise one of each object but the scripts", golden, identified)
		}
	}
}

// The current schema must read each state, or else the upgrader of its version must. This
// test fails if an attribute is removed or changes its type without a new schema version.
func TestGoldenStatesAreUpgraded(t *testing.T) {
	server := newServer()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	must(t, err == nil, "%v", err)
	identities, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	must(t, err == nil, "%v", err)
	for _, golden := range goldenStates(t) {
		for _, object := range golden.objects(t) {
			schema := schemas.ResourceSchemas[object.kind]
			if schema == nil {
				t.Errorf("%s: got a %s, want only types that exist: the provider cannot read this state any more", golden, object.kind)
				continue
			}
			upgraded, err := server.UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
				TypeName: object.kind, Version: object.SchemaVersion, RawState: &tfprotov6.RawState{JSON: object.Attributes},
			})
			must(t, err == nil, "%v", err)
			if len(upgraded.Diagnostics) > 0 {
				t.Errorf("the upgrade of %s of %s: got %s: %s, want no diagnostic", object.kind, golden, upgraded.Diagnostics[0].Summary, upgraded.Diagnostics[0].Detail)
				continue
			}
			if object.SchemaVersion == schema.Version {
				value, err := upgraded.UpgradedState.Unmarshal(schema.ValueType())
				must(t, err == nil, "%v", err)
				mustHoldAll(t, golden, object.kind, object.Attributes, value)
			}
			if len(object.Identity) > 0 {
				mustIdentify(t, golden, object, identities.IdentitySchemas[object.kind])
			}
		}
	}
}

// mustHoldAll checks that a value of the current schema has each non-null attribute of a
// state of the same version.
func mustHoldAll(t *testing.T, golden goldenState, kind string, attributes json.RawMessage, value tftypes.Value) {
	t.Helper()
	var was map[string]any
	must(t, json.Unmarshal(attributes, &was) == nil, "the attributes: got %s, want JSON", attributes)
	var now map[string]tftypes.Value
	must(t, value.As(&now) == nil, "the value: got %s, want an object", value)
	for name, before := range was {
		if after, ok := now[name]; before != nil && (!ok || after.IsNull()) {
			t.Errorf("%s of %s: got no %s after the upgrade, want it kept: the schema has lost it without a new Version and an upgrader (CONTRIBUTING.md, \"A schema that changes\")", kind, golden, name)
		}
	}
}

// mustIdentify checks that an identity matches the current schema, because the CLI asks
// for no upgrade within a version.
func mustIdentify(t *testing.T, golden goldenState, object goldenObject, schema *tfprotov6.ResourceIdentitySchema) {
	t.Helper()
	_, err := (&tfprotov6.RawState{JSON: object.Identity}).Unmarshal(schema.ValueType())
	if object.IdentityVersion != schema.Version || err != nil {
		t.Errorf("identity of %s of %s: got version %d (%v), want version %d, readable", object.kind, golden, object.IdentityVersion, err, schema.Version)
	}
}
