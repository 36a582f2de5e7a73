package acceptance

import (
	"maps"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// These tests check that no change stays at the service if its outcome was not seen and the
// configuration reverts it, and that none is forgotten.

// dies starts an apply, and kills its processes once a job of the operation is polled. It
// returns when the job's change is in effect.
func (w *workspace) dies(fake *fakeservicetest.Server, operation string, inEffect func() bool) {
	w.t.Helper()
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: operation})
	apply := w.startUntilPolled(fake, "apply", "-auto-approve", "-no-color")
	apply.signalGroup(syscall.SIGKILL)
	apply.wait()
	release()
	machine.Until(w.t, "the change is in effect", inEffect)
}

// withoutField leaves a field out of the records of apps.
func withoutField(fake *fakeservicetest.Server, field string) {
	for _, path := range []string{"/instances/*/apps", "/instances/*/apps/*"} {
		fake.Inject(fakeservice.Fault{Method: "GET", Path: path, Times: -1, Rewrite: func(m map[string]any) {
			delete(m, field)
			apps, _ := m["apps"].([]any)
			for _, app := range apps {
				delete(app.(map[string]any), field)
			}
		}})
	}
}

func TestVariablesAreReverted(t *testing.T) {
	t.Parallel()
	type env = map[string]string
	for name, row := range map[string]struct {
		before, between string // the configuration is before again at the end
		hidden          string // a field that no record shows
		inEffect, want  env
	}{
		"another secret":     {oneEnv(`A = "1"`, secretEnv(`S = "old"`, 1)), oneEnv(`A = "1"`, secretEnv(`S = "new"`, 2)), "", env{"A": "1", "S": "new"}, env{"A": "1", "S": "old"}},
		"the first secret":   {oneEnv(`A = "1"`, ""), oneEnv(`A = "1"`, secretEnv(`S = "new"`, 1)), "", env{"A": "1", "S": "new"}, env{"A": "1"}},
		"one more secret":    {oneEnv(`A = "1"`, secretEnv(`S = "s"`, 1)), oneEnv(`A = "1"`, secretEnv(`S = "s", T = "t"`, 2)), "", env{"A": "1", "S": "s", "T": "t"}, env{"A": "1", "S": "s"}},
		"a secret moves":     {oneEnv(`A = "1", S = "old"`, ""), oneEnv(`A = "1"`, secretEnv(`S = "new"`, 1)), "", env{"A": "1", "S": "new"}, env{"A": "1", "S": "old"}},
		"a secret is shown":  {oneEnv(`A = "1"`, secretEnv(`S = "old"`, 1)), oneEnv(`A = "1", S = "new"`, ""), "", env{"A": "1", "S": "new"}, env{"A": "1", "S": "old"}},
		"no record shows it": {oneEnv(`A = "1"`, ""), oneEnv(`A = "2"`, ""), "env", env{"A": "2"}, env{"A": "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, row.before)
			w.apply()
			if row.hidden != "" {
				withoutField(fake, row.hidden)
			}
			w.configure(row.between)
			interrupted(t, fake, w, "app_update", "apply", "-auto-approve", "-no-color")
			machine.Until(t, "the update is in effect", func() bool { return maps.Equal(theSeededApp(t, fake).Env, row.inEffect) })
			w.configure(row.before)
			w.apply()
			w.mustBeSettled()
			mustHaveEnv(t, fake, 2, row.want)
		})
	}
}

// The names of secret variables are noted when the service has them, so that a variable of
// the same name that a person has set is removed.
func TestRefusedSecretHidesNoVariable(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, oneEnv(`A = "1"`, ""))
	w.apply()
	setVariable(fake, "S", "canary")
	w.configure(oneEnv(`A = "1"`, secretEnv(`S = "new"`, 1)))
	fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/instances/*/apps/*", Status: 422, Code: "validation_failed", Detail: "no"})
	w.fails("no")
	w.configure(oneEnv(`A = "1"`, ""))
	w.apply()
	w.mustBeSettled()
	must(t, maps.Equal(theSeededApp(t, fake).Env, map[string]string{"A": "1"}), "the app's variables: got %v, want A to be 1", theSeededApp(t, fake).Env)
}

func TestSecretThatAPersonRemovesIsSentAgain(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, oneEnv(`A = "1"`, secretEnv(`S = "canary"`, 1)))
	w.apply()
	fake.EditApp("i-one", "guestbook", func(a *fakeservice.App) { delete(a.Env, "S") })
	w.says(2, []string{"+ secret_env_wo_version = 1"}, "plan", "-detailed-exitcode", "-no-color")
	w.apply()
	w.mustBeSettled()
	mustHaveEnv(t, fake, 1, map[string]string{"A": "1", "S": "canary"})
}

// A killed apply saves nothing. The record shows its change, but the change's build has
// failed.
func TestFailedBuildOfAKilledUpdateIsBuiltAgain(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{"env": `env = { A = "1" }`, "branch": `branch = "next"`} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, oneApp(""))
			w.apply()
			fake.FailBuilds(fakeservice.BuildMatch{}, 1, "error: no space")
			w.configure(oneApp(change))
			w.dies(fake, "app_update", func() bool {
				builds := theSeededApp(t, fake).Builds
				return len(builds) == 2 && builds[0].Status == "failed"
			})
			w.apply()
			w.mustBeSettled()
			builds := theSeededApp(t, fake).Builds
			must(t, len(builds) == 3 && builds[0].Status == "successful", "the builds: got %+v, want three, the newest successful", builds)
		})
	}
}

// A configuration that repeats the variables of an imported app builds nothing, even if the
// app's newest build has failed.
func TestImportedVariablesBuildNothing(t *testing.T) {
	fake := seededApps(t)
	fake.AddApp("i-one", fakeservice.App{
		Name: "guestbook", Repo: "octo/guestbook", Branch: "main", Port: 3000, HealthPath: "/healthz", Public: true, Env: map[string]string{"A": "1"},
		Builds: []fakeservice.Build{{ID: "b-2", Status: "failed"}, {ID: "b-1", Status: "successful"}},
	})
	w := newWorkspace(t, fake, "import {\n to = hosting_app.test\n id = \"i-one/guestbook\"\n}\n"+oneApp(`env = { A = "1" }`))
	w.apply()
	w.mustBeSettled()
	must(t, len(theSeededApp(t, fake).Builds) == 2, "the builds: got %+v, want two", theSeededApp(t, fake).Builds)
}

func TestWebhookSecretIsReverted(t *testing.T) {
	t.Parallel()
	body := func(arguments string) string {
		return "resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example/in\"\n " + arguments + "\n}\n"
	}
	wo := func(secret, version string) string {
		return body("secret_wo = \"" + secret + "\"\n secret_wo_version = " + version)
	}
	const old, newer = "the old secret of all", "the new secret of all"
	for name, row := range map[string]struct{ before, between, want string }{
		"write-only": {wo(old, "1"), wo(newer, "2"), old},
		"kept":       {body("secret = \"" + old + "\""), body("secret = \"" + newer + "\""), old},
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, row.before)
			w.apply()
			w.configure(row.between)
			remove := fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/webhooks/*", AfterCommit: true, Page: http.StatusBadGateway, Times: -1})
			w.fails("502")
			remove()
			must(t, fake.Webhooks()[0].Secret == newer, "the endpoint's secret: got %q, want %q", fake.Webhooks()[0].Secret, newer)
			w.configure(row.before)
			w.apply()
			w.mustBeSettled()
			must(t, fake.Webhooks()[0].Secret == row.want, "the endpoint's secret: got %q, want %q", fake.Webhooks()[0].Secret, row.want)
		})
	}
}

// A plan made during a job says so: the record does not show the job's changes yet.
func TestPlanDuringAJobSaysSo(t *testing.T) {
	t.Parallel()
	setting := func(kind, arguments string) string {
		return "resource \"hosting_" + kind + "\" \"test\" {\n instance_id = \"i-one\"\n " + arguments + "\n}\n"
	}
	imported := "import {\n to = hosting_instance.test\n id = \"i-one\"\n}\n"
	instance := strings.Replace(instanceHCL("engines = { postgres = { memory_mb = 512 }, apps = { memory_mb = 1024 }, auth = { memory_mb = 256 } }"), `"test"`+"\n  plan", `"one"`+"\n  plan", 1)
	for operation, row := range map[string]struct{ before, between, shown string }{
		"resize":        {imported + strings.Replace(instance, `"free"`, `"medium"`, 1), imported + strings.Replace(instance, `"free"`, `"large"`, 1), `"large" -> "medium"`},
		"allowlist":     {setting("allowlist", `cidrs = ["192.0.2.0/24"]`), setting("allowlist", `cidrs = ["198.51.100.0/24"]`), `"198.51.100.0/24"`},
		"console":       {setting("console_mode", `mode = "off"`), setting("console_mode", `mode = "rw"`), `"rw" -> "off"`},
		"auth_settings": {setting("auth_settings", `site_url = "https://a.example"`), setting("auth_settings", `site_url = "https://b.example"`), `"https://b.example" -> "https://a.example"`},
	} {
		t.Run(operation, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, row.before)
			w.apply()
			release := fake.HoldJobs(fakeservice.JobMatch{Operation: operation})
			w.configure(row.between)
			apply := w.startUntilPolled(fake, "apply", "-auto-approve")
			apply.signal(syscall.SIGINT)
			apply.wait()
			w.configure(row.before)
			w.says(0, []string{"A job is changing an instance", "(" + operation + ") is in progress on instance i-one", "No changes."}, "plan")
			release()
			machine.Until(t, "the job has ended", func() bool { i, _ := fake.Instance("i-one"); return i.JobID == "" })
			r := w.says(2, []string{row.shown}, "plan", "-detailed-exitcode")
			must(t, !strings.Contains(r.output, "A job is changing"), "the plan: got\n%s\nwant no job, as it has ended", r.output)
		})
	}
}

// waysNotMade returns the ways in which the next change is not made: its request is refused, or its
// job fails.
func waysNotMade(method, path, operation string) map[string]func(*fakeservicetest.Server) {
	return map[string]func(*fakeservicetest.Server){
		"refused": func(fake *fakeservicetest.Server) {
			fake.Inject(fakeservice.Fault{Method: method, Path: path, Status: 422, Code: "validation_failed", Detail: "not now"})
		},
		"failed": func(fake *fakeservicetest.Server) {
			fake.FailJobs(fakeservice.JobMatch{Operation: operation}, 1, "trouble", "not now")
		},
	}
}

// An update of a setting that was refused or has failed changes nothing in the state.
func TestRefusedSettingStaysInTheState(t *testing.T) {
	t.Parallel()
	for name, refuse := range waysNotMade("PUT", "/instances/*/allowlist", "allowlist") {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			with := func(cidr string) string {
				return "resource \"hosting_allowlist\" \"test\" {\n instance_id = \"i-one\"\n cidrs = [\"" + cidr + "\"]\n}\n"
			}
			w := newWorkspace(t, fake, with("192.0.2.1"))
			w.apply()
			refuse(fake)
			w.configure(with("192.0.2.2"))
			w.fails("Not now")
			w.configure(with("192.0.2.1"))
			w.mustBeSettled()
		})
	}
}

// An endpoint whose secret is not known gets a new one if the configuration goes back to a
// generated secret.
func TestWebhookSecretIsGeneratedAgain(t *testing.T) {
	t.Parallel()
	body := func(arguments string) string {
		return "resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example/in\"\n " + arguments + "\n}\n"
	}
	for name, between := range map[string]string{
		"after its own":      body(`secret = "the new secret of all"`),
		"after a write-only": body("secret_wo = \"the new secret of all\"\n secret_wo_version = 1"),
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, body(""))
			w.apply()
			w.configure(between)
			remove := fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/webhooks/*", AfterCommit: true, Page: http.StatusBadGateway, Times: -1})
			w.fails("502")
			remove()
			w.configure(body(""))
			w.apply()
			w.mustBeSettled()
			secret := fake.Webhooks()[0].Secret
			must(t, len(secret) == 64 && strings.Contains(w.state(), secret), "the endpoint's secret: got %q, want one of 64 characters that is in the state", secret)
		})
	}
}

// Links and budgets are sent after the object exists. The next apply sends them if that was
// refused, though no record shows it.
func TestRestOfACreationIsNotForgotten(t *testing.T) {
	t.Parallel()
	t.Run("budgets", func(t *testing.T) {
		fake := startFake(t)
		hide := func(m map[string]any) {
			for _, record := range append([]any{m}, asList(m["instances"])...) {
				engines, _ := record.(map[string]any)["engines"].(map[string]any)
				for _, engine := range engines {
					if of, ok := engine.(map[string]any); ok {
						delete(of, "memory_mb")
					}
				}
			}
		}
		fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances", Times: -1, Rewrite: hide})
		fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*", Times: -1, Rewrite: hide})
		fake.Inject(fakeservice.Fault{Method: "PUT", Path: "/instances/*/engines", Status: 422, Code: "validation_failed", Detail: "not now"})
		w := newWorkspace(t, fake, instanceHCL(`engines = { postgres = { memory_mb = 600 } }`))
		w.says(0, []string{"not all of it is as planned"}, "apply", "-auto-approve", "-no-color")
		w.apply()
		w.mustBeSettled()
		i, _ := fake.Instance(onlyInstance(t, fake))
		must(t, i.Engines["postgres"].MemoryMB == 600, "the memory of postgres: got %d MB, want 600", i.Engines["postgres"].MemoryMB)
	})
	t.Run("links", func(t *testing.T) {
		fake := seededApps(t)
		withoutField(fake, "links")
		fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/instances/*/apps/*", Status: 422, Code: "validation_failed", Detail: "not now"})
		w := newWorkspace(t, fake, oneApp(`links = ["auth"]`))
		w.says(0, []string{"not linked as planned"}, "apply", "-auto-approve", "-no-color")
		machine.Until(t, "the app runs", func() bool { return theSeededApp(t, fake).Status == "running" })
		w.apply()
		w.mustBeSettled()
		must(t, len(theSeededApp(t, fake).Links) == 1, "the app's links: got %v, want one", theSeededApp(t, fake).Links)
	})
}

func asList(value any) []any {
	list, _ := value.([]any)
	return list
}

// An engine whose request was refused does not become the configuration's own. A person may
// turn it on later, and keeps its data.
func TestRefusedEngineIsNotOwned(t *testing.T) {
	fake := startFake(t)
	before, more := instanceHCL(`engines = { postgres = {} }`), instanceHCL(`engines = { postgres = {}, redis = {} }`)
	w := newWorkspace(t, fake, before)
	w.apply()
	w.configure(more)
	fake.Inject(fakeservice.Fault{Method: "PUT", Path: "/instances/*/engines", Status: 422, Code: "validation_failed", Detail: "not now"})
	w.fails("Not now")
	fake.EditInstance(onlyInstance(t, fake), func(i *fakeservice.Instance) { i.Engines["redis"] = &fakeservice.Engine{MemoryMB: 128} })
	w.configure(before)
	w.fails("which its configuration never had")
}

// A failed build is built again though no record shows the variables that it was for.
func TestFailedBuildIsBuiltAgainThoughNoRecordShowsItsVariables(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ first, change string }{
		"made":     {oneEnv(`A = "1"`, ""), oneEnv(`A = "2"`, "")},
		"imported": {"import {\n to = hosting_app.test\n id = \"i-one/guestbook\"\n}\n" + oneApp(""), oneApp(`branch = "next"`)},
	} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			if name == "imported" {
				fake.AddApp("i-one", fakeservice.App{Name: "guestbook", Repo: "octo/guestbook", Branch: "main", Port: 3000, HealthPath: "/healthz", Env: map[string]string{"A": "1"}})
			}
			withoutField(fake, "env")
			w := newWorkspace(t, fake, row.first)
			w.apply()
			fake.FailBuilds(fakeservice.BuildMatch{}, 1, "error: no space")
			w.configure(row.change)
			w.fails("of app guestbook failed")
			w.apply()
			w.mustBeSettled()
			builds := theSeededApp(t, fake).Builds
			must(t, builds[0].Status == "successful", "the builds: got %+v, want the newest successful", builds)
		})
	}
}

// An app that could not be linked, and has run since, is not replaced when it fails later.
func TestUnlinkedAppThatRanIsNotReplaced(t *testing.T) {
	fake := seededApps(t)
	withoutField(fake, "links")
	fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/instances/*/apps/*", Status: 422, Code: "validation_failed", Detail: "not now"})
	w := newWorkspace(t, fake, oneApp(`links = ["auth"]`))
	w.says(0, []string{"not linked as planned"}, "apply", "-auto-approve")
	machine.Until(t, "the app runs", func() bool { return theSeededApp(t, fake).Status == "running" })
	w.says(0, nil, "apply", "-refresh-only", "-auto-approve")
	fake.EditApp("i-one", "guestbook", func(a *fakeservice.App) { a.Status = "failed" })
	w.says(2, []string{"0 to add, 1 to change, 0 to destroy"}, "plan", "-detailed-exitcode")
}

// An endpoint whose new secret was refused still signs with the one that Terraform made.
func TestRefusedWebhookSecretKeepsTheOldOne(t *testing.T) {
	fake := startFake(t)
	body := func(arguments string) string {
		return "resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example/in\"\n " + arguments + "\n}\noutput \"secret\" {\n value = nonsensitive(hosting_webhook_endpoint.test.secret)\n}\n"
	}
	w := newWorkspace(t, fake, body(""))
	w.apply()
	w.configure(body(`secret = "another secret of mine"`))
	fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/webhooks/*", Status: 422, Code: "validation_failed", Detail: "not now"})
	w.fails("Not now")
	w.configure(body(""))
	w.apply()
	w.mustBeSettled()
	w.says(0, []string{fake.Webhooks()[0].Secret}, "output")
}

// A refused change of an imported app leaves no trace: a variable that a person has set is
// not taken for one that Terraform has sent.
func TestRefusedSecretOfAnImportedAppTakesNothing(t *testing.T) {
	t.Parallel()
	for name, refuse := range waysNotMade("PATCH", "/instances/*/apps/*", "app_update") {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			there := map[string]string{"A": "1", "S": "a person's"}
			fake.AddApp("i-one", fakeservice.App{Name: "guestbook", Repo: "octo/guestbook", Branch: "main", Port: 3000, HealthPath: "/healthz", Env: there})
			w := newWorkspace(t, fake, "import {\n to = hosting_app.test\n id = \"i-one/guestbook\"\n}\n"+oneApp(""))
			w.apply()
			refuse(fake)
			w.configure(oneEnv(`A = "1"`, secretEnv(`S = "mine"`, 1)))
			w.fails("Not now")
			w.configure(oneApp(""))
			w.apply()
			w.mustBeSettled()
			must(t, maps.Equal(theSeededApp(t, fake).Env, there), "the app's variables: got %v, want %v", theSeededApp(t, fake).Env, there)
		})
	}
}

// Neither a plan without a refresh nor one of a target alone overlooks the note.
func TestRevertedSecretWithFlags(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"-refresh=false", "-target=hosting_app.test"} {
		t.Run(flag, func(t *testing.T) {
			fake := seededApps(t)
			before := oneEnv(`A = "1"`, secretEnv(`S = "old"`, 1))
			w := newWorkspace(t, fake, before)
			w.apply()
			w.configure(oneEnv(`A = "1"`, secretEnv(`S = "new"`, 2)))
			interrupted(t, fake, w, "app_update", "apply", "-auto-approve", "-no-color")
			w.configure(before)
			w.says(0, nil, "apply", "-auto-approve", flag)
			w.mustBeSettled()
			mustHaveEnv(t, fake, 2, map[string]string{"A": "1", "S": "old"})
		})
	}
}

// A note about another attribute does not touch what ignore_changes keeps.
func TestIgnoredVariableIsKeptAfterAnInterruptedChange(t *testing.T) {
	fake := seededApps(t)
	ignoring := func(port string) string {
		return oneEnv(`A = "1"`, "port = "+port+"\nlifecycle {\n  ignore_changes = [env]\n}\n")
	}
	w := newWorkspace(t, fake, ignoring("3000"))
	w.apply()
	w.configure(ignoring("8080"))
	interrupted(t, fake, w, "app_update", "apply", "-auto-approve", "-no-color")
	setVariable(fake, "B", "a person's")
	w.configure(ignoring("3000"))
	w.apply()
	w.mustBeSettled()
	must(t, theSeededApp(t, fake).Port == 3000, "the app's port: got %d, want 3000", theSeededApp(t, fake).Port)
	mustHaveEnv(t, fake, 0, map[string]string{"A": "1", "B": "a person's"})
}
