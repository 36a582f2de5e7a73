package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// An engine that SERVICE.md#instances does not list is treated like any other.
func TestEngineThatNobodyKnows(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, instanceHCL("engines = { postgres = {} }"))
	w.apply()
	id := onlyInstance(t, fake)
	strange := func(record map[string]any) {
		engines := record["engines"].(map[string]any)
		engines["mysql"] = map[string]any{"memory_mb": 300, "port": 3306}
		if fake.Count("PUT", "/instances/*/engines") > 0 {
			engines["redis"] = map[string]any{"memory_mb": 64}
		}
	}
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*", Times: -1, Rewrite: strange})
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "engines"}) // or the job could end by itself first
	job, err := fake.StartJob(id, "engines", "")
	if err == nil {
		err = fake.FinishJob(job.ID)
	}
	release()
	must(t, err == nil, "the job: got error %v, want it started and finished", err)
	// The fake's API document lists six engines, so the test answers for it.
	body, _ := json.Marshal(map[string]string{"job_id": job.ID})
	fake.Inject(fakeservice.Fault{Method: "PUT", Path: "/instances/*/engines", Status: 202, Body: body})
	w.configure(instanceHCL("engines = { postgres = {}, redis = {} }"))
	w.says(1, []string{"has the engine mysql, which its configuration never had", "add mysql = {} to engines"}, "plan")
	w.configure(instanceHCL("engines = { postgres = {}, redis = {}, mysql = {} }"))
	w.apply()
	w.mustBeSettled()
	for _, request := range fake.Requests() {
		if request.Method != "PUT" {
			continue
		}
		var sent struct{ Engines map[string]map[string]any }
		must(t, json.NewDecoder(bytes.NewReader(request.Body)).Decode(&sent) == nil, "the request: got %s, want JSON", request.Body)
		must(t, fmt.Sprint(sent.Engines) == "map[mysql:map[memory_mb:300] postgres:map[memory_mb:512] redis:map[]]", "the engines that were sent: got %v, want mysql with 300 MB, postgres with 512 MB and redis", sent.Engines)
	}
	must(t, fake.Count("PUT", "/instances/*/engines") == 1, "PUTs: got %d, want 1", fake.Count("PUT", "/instances/*/engines"))
}

// Another user turns an engine on. No plan turns it off. The user can turn it off in the
// portal or add it to the configuration.
func TestEngineThatTheConfigurationNeverHad(t *testing.T) {
	fake := startFake(t)
	unguarded := func(engines string) string {
		return instanceHCL("engines = " + engines)
	}
	w := newWorkspace(t, fake, unguarded("{ postgres = {} }"))
	w.apply()
	id := onlyInstance(t, fake)
	turn := func(on bool) {
		fake.EditInstance(id, func(i *fakeservice.Instance) {
			delete(i.Engines, "nats")
			if on {
				i.Engines["nats"] = &fakeservice.Engine{MemoryMB: 64}
			}
		})
	}
	const never = "has the engine nats, which its configuration never had"
	turn(true)
	w.says(1, []string{never, "turn it off in the portal"}, "plan")
	w.fails(never)
	turn(false)
	w.mustBeSettled()
	turn(true)
	w.configure(unguarded("{ postgres = {}, nats = {} }"))
	w.mustBeSettled()
	// After an apply with the engine, the configuration has had it.
	w.configure(unguarded("{ postgres = {}, nats = { memory_mb = 128 } }"))
	w.apply()
	w.configure(unguarded("{ postgres = {} }"))
	w.says(0, []string{"Turning an engine off deletes its data", "turns the nats engine of instance"}, "plan")
	w.apply()
	w.mustBeSettled()
	// Once it is off, the configuration is no longer responsible for it.
	turn(true)
	w.says(1, []string{never}, "plan")
}

// Names of engines are checked when planning.
func TestEngineNames(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, instanceHCL("engines = {}"))
	w.says(0, []string{"No engine is on"}, "plan")
	for engines, want := range map[string]string{
		`{ postgress = {} }`:  `There is no engine "postgress"`,
		`{ "" = {} }`:         `must not be empty.`,
		`{ postgres = true }`: `object required`,
	} {
		w.configure(instanceHCL("engines = " + engines))
		w.says(1, []string{want}, "plan")
	}
	must(t, fake.Count("POST", "**") == 0, "something was created")
}

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

// Engines that are unknown when planning are checked again before any engine is turned
// off.
func TestEnginesUnknownWhenPlanningAreNotTurnedOffUnseen(t *testing.T) {
	fake := startFake(t)
	body := func(engines string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"later\" {\n input = %q\n}\nresource \"hosting_instance\" \"test\" {\n name = \"test\"\n plan = \"free\"\n region = \"eu-central\"\n engines = %s\n}\n", engines, engines)
	}
	w := newWorkspace(t, fake, body("{ postgres = {}, redis = {} }"))
	w.apply()
	w.configure(body("{ for name in [\"postgres\", \"redis\"] : name => {} if name == \"postgres\" || terraform_data.later.output == \"\" }"))
	w.fails("is protected from losing its redis data")
	must(t, fake.Instances()[0].Engines["redis"] != nil && jobsOf(fake, "engines") == 1, "redis was turned off")
}

// The set of engines is sent as a whole. If the machine has to grow first, that is a
// minute after the engines were read. An engine that another user turned on in that
// minute was once turned off, and its data was lost.
func TestEngineThatIsTurnedOnDuringAnUpdateStaysOn(t *testing.T) {
	fake := startFake(t)
	body := func(plan, engines string) string {
		return strings.Replace(instanceHCL("engines = "+engines), `"free"`, `"`+plan+`"`, 1)
	}
	w := newWorkspace(t, fake, body("free", "{ postgres = {} }"))
	w.apply()
	id := onlyInstance(t, fake)
	turnsOn := func() {
		fake.EditInstance(id, func(i *fakeservice.Instance) { i.Engines["nats"] = &fakeservice.Engine{MemoryMB: 64} })
	}
	fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances/*/actions/resize", After: turnsOn})
	w.configure(body("small", "{ postgres = {}, apps = {} }"))
	w.fails("has the engine nats, which its configuration never had")
	instance, _ := fake.Instance(id)
	must(t, instance.Plan == "small" && instance.Engines["nats"] != nil && fake.Count("PUT", "/instances/*/engines") == 0, "the instance: got %+v, want the plan small with nats, without a change of engines", instance)
	w.configure(body("small", "{ postgres = {}, apps = {}, nats = {} }"))
	w.apply()
	w.mustBeSettled()
}

// An engine's name that is unknown when planning is checked before the request.
func TestEngineNameThatIsKnownWhenApplying(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, `
resource "terraform_data" "later" {
  input = "postgress"
}
resource "hosting_instance" "test" {
  name    = "test"
  plan    = "free"
  region  = "eu-central"
  engines = { (terraform_data.later.output) = {} }
}
`)
	w.says(0, []string{"2 to add"}, "plan")
	w.fails(`There is no engine "postgress"`)
	must(t, fake.Count("POST", "**") == 0, "something was created")
}

// The plan warns of the price of a paid plan, and of the lower limits of a smaller one.
func TestPlansThatCostAndPlansThatAreSmaller(t *testing.T) {
	fake := startFake(t)
	body := func(plan string) string {
		return strings.Replace(instanceHCL("engines = {}"), `"free"`, `"`+plan+`"`, 1)
	}
	w := newWorkspace(t, fake, body("small"))
	w.says(0, []string{"Plan small is paid", "It costs "}, "plan")
	must(t, fake.Count("POST", "**") == 0, "something was created")
	w.configure(body("free"))
	w.apply()
	id := onlyInstance(t, fake)
	fake.EditInstance(id, func(i *fakeservice.Instance) { i.Plan = "medium" })
	w.says(0, []string{"Plan free has lower limits than plan medium", "the memory from"}, "plan")
	must(t, fake.Count("POST", "**") == 1, "the instance was resized")
}

// If an engine is removed from the configuration after an interrupted creation requested
// it, the next apply turns it off. A protected instance refuses that, because it may have
// run for a while.
func TestEngineThatIsTakenOutDuringACreation(t *testing.T) {
	t.Parallel()
	for name, protected := range map[string]bool{"protected": true, "unprotected": false} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, protectedOr(protected, "{ apps = {}, postgres = {} }"))
			interrupted(t, fake, w, "create", "apply", "-auto-approve", "-no-color")
			machine.Until(t, "the creation ends", func() bool { return fake.Left()["jobs"] == 0 })
			w.configure(protectedOr(protected, "{ apps = {} }"))
			if protected {
				for _, refresh := range []string{"-refresh=false", "-refresh=true"} {
					w.says(1, []string{"is protected from losing its postgres data"}, "apply", "-auto-approve", refresh)
				}
				must(t, fake.Count("PUT", "/instances/*/engines") == 0, "the engines were set")
				w.configure(protectedOr(false, "{ apps = {}, postgres = {} }"))
				w.apply()
				w.configure(protectedOr(false, "{ apps = {} }"))
				w.apply()
			} else {
				w.says(0, []string{"Turning an engine off deletes its data"}, "apply", "-auto-approve", "-refresh=false")
			}
			w.mustBeSettled()
			there, _ := fake.Instance(onlyInstance(t, fake))
			must(t, there.Engines["apps"] != nil && there.Engines["postgres"] == nil, "the engines: got %v, want apps without postgres", there.Engines)
		})
	}
}

// protectedOr returns an instance with engines, protected or not.
func protectedOr(protected bool, engines string) string {
	return strings.Replace(instanceHCL("engines = "+engines), "deletion_protection = false", fmt.Sprint("deletion_protection = ", protected), 1)
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
