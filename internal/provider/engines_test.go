package provider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// An engine that the provider does not know stays on, with the budget that it
// has.
func TestEngineThatTheProviderDoesNotKnowStaysOn(t *testing.T) {
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
	job, err := fake.StartJob(id, "engines", "")
	must(t, err == nil && fake.FinishJob(job.ID) == nil, "%v", err)
	// The fake's document knows six engines, so the answer is given for it.
	body, _ := json.Marshal(map[string]string{"job_id": job.ID})
	fake.Inject(fakeservice.Fault{Method: "PUT", Path: "/instances/*/engines", Status: 202, Body: body})
	w.configure(instanceHCL("engines = { postgres = {}, redis = {} }"))
	w.apply()
	w.mustBeSettled()
	for _, request := range fake.Requests() {
		if request.Method != "PUT" {
			continue
		}
		var sent struct{ Engines map[string]map[string]any }
		must(t, json.NewDecoder(bytes.NewReader(request.Body)).Decode(&sent) == nil, "%s", request.Body)
		must(t, fmt.Sprint(sent.Engines) == "map[mysql:map[memory_mb:300] postgres:map[memory_mb:512] redis:map[]]", "PUT %v", sent.Engines)
	}
	must(t, fake.Count("PUT", "/instances/*/engines") == 1, "%d PUTs", fake.Count("PUT", "/instances/*/engines"))
}

// Engines that are not known when planning are looked at again before anything
// is turned off.
func TestEnginesUnknownWhenPlanningAreNotTurnedOffUnseen(t *testing.T) {
	fake := startFake(t)
	body := func(engines string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"later\" {\n input = %q\n}\nresource \"hosting_instance\" \"test\" {\n name = \"test\"\n plan = \"free\"\n region = \"eu-central\"\n engines = %s\n}\n", engines, engines)
	}
	w := newWorkspace(t, fake, body("{ postgres = {}, redis = {} }"))
	w.apply()
	w.configure(body("{ postgres = {}, redis = terraform_data.later.output == \"\" ? {} : null }"))
	w.fails("is protected from losing its redis data")
	must(t, fake.Instances()[0].Engines["redis"] != nil && jobsOf(fake, "engines") == 1, "redis was turned off")
}

// The set of engines is sent as a whole, a minute after it was looked at where the
// machine grows first. What somebody turned on in that minute went, and its data
// with it.
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
	w.fails("has an engine nats that the plan did not tell of")
	instance, _ := fake.Instance(id)
	must(t, instance.Plan == "small" && instance.Engines["nats"] != nil && fake.Count("PUT", "/instances/*/engines") == 0, "%+v", instance)
	w.configure(body("small", "{ postgres = {}, apps = {}, nats = {} }"))
	w.apply()
	w.mustBeSettled()
}
