package acceptance

import (
	"encoding/json"
	"strings"
	"testing"
)

// OpenTofu crashes when it plans a null engine, so the validation refuses one before
// that. The filter that the error suggests works.
func TestEngineThatIsNull(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, instanceHCL("engines = { postgres = {}, redis = null }"))
	w.says(1, []string{"An engine is null", "name => engine if engine != null"}, "plan")
	const filtered = "engines = { for name, engine in { postgres = {}, redis = null } : name => engine if engine != null }"
	w.configure(instanceHCL(filtered))
	w.apply()
	w.mustBeSettled()
	w.configure(instanceHCL(strings.Replace(filtered, "null }", "{} }", 1)))
	w.apply()
	w.mustBeSettled()
	must(t, fake.Instances()[0].Engines["redis"] != nil, "the engines: got %v, want redis among them", fake.Instances()[0].Engines)
	w.configure(instanceHCL(filtered))
	w.says(0, []string{"Turning an engine off deletes its data", "turns the redis engine of instance"}, "plan")
}

// A state from before engines became a map has a null for each engine that is off, and no
// note of the engines that its configuration has had. No engine is lost by that.
func TestStateFromBeforeEnginesWereAMap(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, instanceHCL("engines = { postgres = {}, redis = {} }"))
	w.apply()
	var state map[string]any
	must(t, json.Unmarshal([]byte(w.read("terraform.tfstate")), &state) == nil, "the state cannot be read")
	instance := state["resources"].([]any)[0].(map[string]any)["instances"].([]any)[0].(map[string]any)
	delete(instance, "private")
	engines := instance["attributes"].(map[string]any)["engines"].(map[string]any)
	for _, name := range []string{"couchdb", "nats", "apps", "auth"} {
		engines[name] = nil
	}
	older, _ := json.Marshal(state)
	w.write("terraform.tfstate", string(older))
	w.apply()
	w.mustBeSettled()
	must(t, fake.Count("PUT", "/instances/*/engines") == 1, "PUTs of engines: got %d, want 1", fake.Count("PUT", "/instances/*/engines"))
	w.write("terraform.tfstate", string(older))
	w.configure(instanceHCL("engines = { postgres = {} }"))
	w.says(1, []string{"has the engine redis, which its configuration never had"}, "plan")
}
