package acceptance

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// instanceHCL returns an instance that fits every plan, with additional arguments.
func instanceHCL(arguments string) string {
	return fmt.Sprintf(`
resource "hosting_instance" "test" {
  name                = "test"
  plan                = "free"
  region              = "eu-central"
  deletion_protection = false
  %s
}
`, arguments)
}

// appsInstance has the engines that the guestbook needs, with memory for an app of 640
// MB.
var appsInstance = instanceHCL(`engines = { postgres = {}, apps = { memory_mb = 640 }, auth = {} }`)

const instanceAddress = "hosting_instance.test"

func instanceHas(attribute string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(instanceAddress, tfjsonpath.New(attribute), value)
}

func TestInstanceLifecycle(t *testing.T) {
	fake := startFake(t)
	one := `
resource "hosting_instance" "test" {
  name   = %q
  plan   = %q
  region = "eu-central"
  tags   = %s
  engines = %s
  deletion_protection = %t
  timeouts = %s
}`
	with := func(name, tags, engines string, protected bool) string {
		return config(fake, one, name, "free", tags, engines, protected, "null")
	}
	run(t,
		resource.TestStep{
			Config: with("first", `["b", "a"]`, `{ postgres = {}, redis = { memory_mb = 128 } }`, true),
			ConfigStateChecks: []statecheck.StateCheck{
				instanceHas("status", knownvalue.StringExact("running")),
				instanceHas("host", knownvalue.NotNull()),
				instanceHas("created_at", knownvalue.NotNull()),
				instanceHas("ca_certificate", knownvalue.NotNull()),
				instanceHas("checkout_url", knownvalue.Null()),
				instanceHas("auth_url", knownvalue.Null()),
				instanceHas("engines", knownvalue.MapExact(map[string]knownvalue.Check{
					"postgres": knownvalue.ObjectExact(map[string]knownvalue.Check{"memory_mb": knownvalue.Int64Exact(512)}),
					"redis":    knownvalue.ObjectExact(map[string]knownvalue.Check{"memory_mb": knownvalue.Int64Exact(128)}),
				})),
			},
			ConfigPlanChecks: emptyPlan,
		},
		resource.TestStep{ResourceName: instanceAddress, ImportState: true, ImportStateVerify: true},
		resource.TestStep{ // name
			Config:            with("second", `["b", "a"]`, `{ postgres = {}, redis = { memory_mb = 128 } }`, true),
			ConfigStateChecks: []statecheck.StateCheck{instanceHas("name", knownvalue.StringExact("second"))},
			ConfigPlanChecks:  plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // tags in a different order, and one fewer
			Config:           with("second", `["a"]`, `{ postgres = {}, redis = { memory_mb = 128 } }`, true),
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // no tags; an empty set stays an empty set
			Config:           with("second", `[]`, `{ postgres = {}, redis = { memory_mb = 128 } }`, true),
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // a budget
			Config:           with("second", `[]`, `{ postgres = { memory_mb = 640 }, redis = { memory_mb = 128 } }`, true),
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // a budget that is removed from the configuration stays as it is
			Config:           with("second", `[]`, `{ postgres = {}, redis = {} }`, true),
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionNoop),
		},
		refuses(with("second", `[]`, `{ postgres = {} }`, true), "is protected from losing its redis data"),
		resource.TestStep{
			Config:           with("second", `[]`, `{ postgres = {}, redis = {} }`, false),
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // engines on and off, with their attributes
			Config: with("second", `[]`, `{ postgres = {}, apps = {}, auth = {} }`, false),
			ConfigStateChecks: []statecheck.StateCheck{
				instanceHas("auth_url", knownvalue.NotNull()),
				instanceHas("auth_anon_key", knownvalue.NotNull()),
			},
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{
			Config:            with("second", `[]`, `{ postgres = {} }`, false),
			ConfigStateChecks: []statecheck.StateCheck{instanceHas("auth_url", knownvalue.Null()), instanceHas("auth_anon_key", knownvalue.Null())},
			ConfigPlanChecks:  plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // another plan
			Config:            config(fake, one, "second", "small", `[]`, `{ postgres = {} }`, false, "null"),
			ConfigStateChecks: []statecheck.StateCheck{instanceHas("plan", knownvalue.StringExact("small"))},
			ConfigPlanChecks:  plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // an argument that is not sent to the service
			Config:           config(fake, one, "second", "small", `[]`, `{ postgres = {} }`, false, `{ delete = "7m" }`),
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
	)
	if n := fake.Count("POST", "/instances"); n != 1 {
		t.Errorf("creations: got %d, want 1", n)
	}
	if n := len(fake.Instances()); n != 0 {
		t.Errorf("instances after the destroy: got %d, want none", n)
	}
}

func TestInstanceProtectionIsLiftedByAnApplyOfItsOwn(t *testing.T) {
	fake := startFake(t)
	body := `
resource "hosting_instance" "test" {
  name    = "test"
  plan    = "free"
  region  = %q
  engines = {}
  deletion_protection = %t
}`
	run(t,
		resource.TestStep{Config: config(fake, body, "eu-central", true)},
		refuses(config(fake, body, "us-east", true), "protected from deletion"),
		refuses(config(fake, body, "us-east", false), "protected from deletion"),
		resource.TestStep{Config: config(fake, body, "eu-central", true), Destroy: true, ExpectError: wrapped("Set deletion_protection = false, apply, then destroy.")},
		resource.TestStep{Config: config(fake, body, "eu-central", false), ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate)},
		resource.TestStep{
			Config: config(fake, body, "us-east", false),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(instanceAddress, plancheck.ResourceActionDestroyBeforeCreate)},
			},
		},
	)
	if n := fake.Count("POST", "/instances"); n != 2 {
		t.Errorf("creations: got %d, want 2", n)
	}
}

func TestInstanceResizesInTheOrderThatFits(t *testing.T) {
	fake := startFake(t)
	body := `
resource "hosting_instance" "test" {
  name    = "test"
  plan    = %q
  region  = "eu-central"
  engines = { postgres = { memory_mb = %d } }
  deletion_protection = false
}`
	run(t,
		resource.TestStep{Config: config(fake, body, "free", 1536)},
		resource.TestStep{Config: config(fake, body, "medium", 4096), ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate)},
		resource.TestStep{Config: config(fake, body, "small", 2048), ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate)},
	)
	var order []string
	for _, job := range fake.Jobs() {
		order = append(order, job.Operation)
	}
	want := "[create engines resize engines engines resize delete]"
	if got := fmt.Sprint(order); got != want {
		t.Errorf("jobs: got %s, want %s", got, want)
	}
}

func TestInstanceDrift(t *testing.T) {
	fake := startFake(t)
	configuration := config(fake, "%s", instanceHCL(`
  tags    = ["kept"]
  engines = { postgres = { memory_mb = 512 } }`))
	edit := func(change func(*fakeservice.Instance)) func() {
		return func() { fake.EditInstance(onlyInstance(t, fake), change) }
	}
	drifts := map[string]func(*fakeservice.Instance){
		"name":   func(i *fakeservice.Instance) { i.Name = "other" },
		"tags":   func(i *fakeservice.Instance) { i.Tags = nil },
		"budget": func(i *fakeservice.Instance) { i.Engines["postgres"].MemoryMB = 600 },
		"engine": func(i *fakeservice.Instance) { delete(i.Engines, "postgres") },
		"plan":   func(i *fakeservice.Instance) { i.Plan = "large" },
	}
	steps := []resource.TestStep{{Config: configuration}}
	for _, change := range drifts {
		steps = append(steps, resource.TestStep{
			PreConfig:        edit(change),
			Config:           configuration,
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		})
	}
	run(t, steps...)
}

func TestInstanceVanished(t *testing.T) {
	fake := startFake(t)
	configuration := config(fake, "%s", instanceHCL(`engines = {}`))
	run(t,
		resource.TestStep{Config: configuration},
		resource.TestStep{
			PreConfig:        func() { fake.RemoveInstance(onlyInstance(t, fake)) },
			Config:           configuration,
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionCreate),
		},
	)
}

func TestInstanceUnknownAtPlan(t *testing.T) {
	fake := startFake(t)
	run(t, resource.TestStep{
		Config: config(fake, `
resource "terraform_data" "later" {
  input = { name = "test", plan = "free", region = "eu-central", memory = 640, tag = "t" }
}

resource "hosting_instance" "test" {
  name   = terraform_data.later.output.name
  plan   = terraform_data.later.output.plan
  region = terraform_data.later.output.region
  tags   = [terraform_data.later.output.tag]
  engines = {
    postgres = { memory_mb = terraform_data.later.output.memory }
    redis    = terraform_data.later.output.memory > 1 ? {} : null
  }
  deletion_protection = false
}`),
		ConfigPlanChecks: emptyPlan,
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(instanceAddress, tfjsonpath.New("engines").AtMapKey("postgres").AtMapKey("memory_mb"), knownvalue.Int64Exact(640)),
			statecheck.ExpectKnownValue(instanceAddress, tfjsonpath.New("engines").AtMapKey("redis").AtMapKey("memory_mb"), knownvalue.Int64Exact(64)),
		},
	})
}

func TestInstanceInvalid(t *testing.T) {
	fake := startFake(t)
	body := func(name, plan, region, rest string) string {
		return config(fake, `
resource "hosting_instance" "test" {
  name   = %q
  plan   = %q
  region = %q
  %s
}`, name, plan, region, rest)
	}
	run(t,
		refuses(body("", "free", "eu-central", "engines = {}"), `name must not be empty.`),
		refuses(body("a", "huge", "eu-central", "engines = {}"), `There is no plan "huge"; there are: free, small, medium, large, xlarge.`),
		refuses(body("a", "free", "mars", "engines = {}"), `There is no region "mars"; there are: eu-central,`),
		refuses(body("a", "free", "eu-central", `engines = { auth = {}, postgres = {} }`), "The auth engine needs apps"),
		refuses(body("a", "free", "eu-central", `engines = { auth = {}, apps = {} }`), "The auth engine needs postgres"),
		refuses(body("a", "free", "eu-central", `engines = { postgres = { memory_mb = 100 } }`), "The postgres engine needs at least 512 MB, not 100."),
		refuses(body("a", "free", "eu-central", `engines = { postgres = { memory_mb = 1500 }, redis = {} }`), "need 1564 MB together"),
		refuses(body("a", "free", "eu-central", `engines = { redis = { memory_mb = 0 } }`), `memory_mb must be at least 1, not 0.`),
		refuses(body("a", "free", "eu-central", "engines = {}\n tags = [\"\"]"), "tags contains an empty tag. Remove it."),
		refuses(body("a", "free", "eu-central", "engines = {}\n timeouts = { create = \"soon\" }"), `timeouts.create "soon" is not a duration. Write 45m.`),
	)
	if n := fake.Count("POST", "/instances"); n != 0 {
		t.Errorf("creations that were sent: got %d, want 0", n)
	}
}

func TestInstanceCreationFails(t *testing.T) {
	fake := startFake(t)
	configuration := config(fake, "%s", instanceHCL(`engines = { postgres = {} }`))
	fake.FailJobs(fakeservice.JobMatch{Operation: "create"}, 1, "no_capacity", "no machine is free in eu-central")
	run(t,
		refuses(configuration, "No machine is free in eu-central (no_capacity)"),
		resource.TestStep{ // the failed instance never ran, so it is replaced
			Config:            configuration,
			ConfigPlanChecks:  emptyPlan,
			ConfigStateChecks: []statecheck.StateCheck{instanceHas("status", knownvalue.StringExact("running"))},
		},
	)
	if n := len(fake.Instances()); n != 0 {
		t.Errorf("instances after the destroy: got %d, want 0", n)
	}
}

func TestInstanceUpdateFails(t *testing.T) {
	t.Parallel()
	for operation, change := range map[string]string{
		"update":  `name = "other"` + "\n" + `plan = "free"` + "\n" + `engines = { postgres = {} }`,
		"resize":  `name = "test"` + "\n" + `plan = "small"` + "\n" + `engines = { postgres = {} }`,
		"engines": `name = "test"` + "\n" + `plan = "free"` + "\n" + `engines = { postgres = {}, nats = {} }`,
	} {
		t.Run(operation, func(t *testing.T) {
			fake := startFake(t)
			body := `
resource "hosting_instance" "test" {
  region = "eu-central"
  deletion_protection = false
  %s
}`
			run(t,
				resource.TestStep{Config: config(fake, body, `name = "test"`+"\n"+`plan = "free"`+"\n"+`engines = { postgres = {} }`)},
				resource.TestStep{
					PreConfig: func() {
						fake.FailJobs(fakeservice.JobMatch{Operation: operation}, 1, "trouble", "the rack is on fire")
					},
					Config:      config(fake, body, change),
					ExpectError: wrapped("The rack is on fire (trouble)"),
				},
				resource.TestStep{Config: config(fake, body, change), ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate)},
			)
		})
	}
}
