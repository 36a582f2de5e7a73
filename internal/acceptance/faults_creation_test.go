package acceptance

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// Faults of requests that create something: nothing is created twice, and nothing is
// lost.
var creationFaults = []faultRow{
	{1, "creation committed, answer dropped", func(t *testing.T) string {
		fake := startFake(t)
		fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances", AfterCommit: true, Drop: true})
		w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance))
		w.apply()
		w.mustBeSettled()
		must(t, w.mustBeKept("hosting_instance", "test").Attributes["id"] == onlyInstance(t, fake), "another id is in the state")
		must(t, fake.Count("POST", "/instances") == 1, "the creation was sent again")
		return "1 instance, " + counts(fake, "POST /instances")
	}},
	{2, "502 after the commit, 502 before it", func(t *testing.T) string {
		atOnce(t, map[string]func(*testing.T){
			"after": func(t *testing.T) {
				fake := startFake(t)
				fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances", AfterCommit: true, Page: http.StatusBadGateway})
				w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance))
				w.mustHaveAdopted(fake, w.apply())
			},
			// It is unknown whether the service carried it out, so it is not sent again.
			"before": func(t *testing.T) {
				fake := startFake(t)
				fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances", Page: http.StatusBadGateway})
				w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance+"\n  timeouts = { create = \""+soonOver+"\" }"))
				listed := func() int { return fake.Count("GET", "/instances") }
				w.fails("POST /instances answered 502", "it is unknown whether the service carried it out", "the request was not repeated", "Check in the portal whether it exists before you apply again.")
				// The provider looks for the instance until the timeout and a grace
				// period are over, about 50 times. With a longer timeout, it would look
				// for ten minutes, about 80 times. A busy machine looks less often.
				must(t, listed() < 60, "looks for the instance: got %d, want less than 60", listed())
				must(t, fake.Count("POST", "/instances") == 1 && len(fake.Instances()) == 0, "creations: got %d, want 1, and no instance", fake.Count("POST", "/instances"))
				must(t, w.saved("hosting_instance", "test") == nil, "an instance is in the state")
				w.apply() // after a check in the portal, the user applies again
				w.mustBeSettled()
				onlyInstance(t, fake)
			},
		})
		return "after: 1 POST, adopted; before: 1 POST, an error that says what is unknown"
	}},
	{3, "the same for app, database, webhook and each action", func(t *testing.T) string {
		posts := 0
		for name, c := range map[string]struct{ body, path, operation string }{
			"app": {oneApp("deletion_protection = false"), "/instances/*/apps/import", "app_import"},
			"database": {"resource \"hosting_postgres_database\" \"test\" {\n instance_id = \"i-one\"\n name = \"orders\"\n deletion_protection = false\n}",
				"/instances/*/postgres/databases", "database_create"},
			"webhook": {"resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example\"\n}", "/webhooks", ""},
		} {
			for _, fault := range []fakeservice.Fault{{Drop: true}, {Status: http.StatusBadGateway}} {
				fake := seededApps(t)
				fault.Method, fault.Path, fault.AfterCommit = "POST", c.path, true
				fake.Inject(fault)
				w := newWorkspaceBeside(t, fake, c.body)
				w.apply()
				w.mustBeSettled()
				must(t, fake.Count("POST", c.path) == 1, "requests of %s: got %d, want 1", name, fake.Count("POST", c.path))
				posts++
			}
		}
		cli, err := versionUnderTest()
		must(t, err == nil, "%v", err)
		for name, c := range actionCases {
			if cli.Lacks(providerActions.Capability) != "" {
				break // the CLI has no actions
			}
			fake := seeded(t)
			path := map[string]string{
				"engine_restart": "/instances/*/engines/*/actions/restart",
				"app_restart":    "/instances/*/apps/*/actions/restart",
				"app_redeploy":   "/instances/*/apps/*/actions/redeploy",
			}[name]
			if path == "" {
				path = "/instances/*/actions/*"
			}
			fake.Inject(fakeservice.Fault{Method: "POST", Path: path, AfterCommit: true, Drop: true})
			w := newWorkspaceBeside(t, fake, actionHCL(name, c.arguments))
			r := w.run("apply", "-auto-approve", "-no-color", "-invoke=action.hosting_"+name+".test")
			if name == "app_redeploy" { // its build proves it
				must(t, r.exit == 0, "%s: got exit %d, want 0:\n%s", name, r.exit, r.output)
			} else {
				must(t, r.exit == 1 && strings.Contains(r.output, "it is unknown whether the service carried it out"),
					"%s: got exit %d, want 1 and an unknown outcome:\n%s", name, r.exit, r.output)
			}
			must(t, fake.Count("POST", path) == 1 && len(fake.Jobs()) == 1, "requests of %s: got %d, want 1, and one job", name, fake.Count("POST", path))
			posts++
		}
		return fmt.Sprintf("%d lost answers, %d POSTs, 0 twice", posts, posts)
	}},
	{5, "connection refused", func(t *testing.T) string {
		address := reserveAddress(t)
		service := fakeservice.New(fakeservice.Options{Speed: testSpeed, APIKey: fakeservicetest.APIKey})
		fake := &fakeservicetest.Server{Service: service, BaseURL: "http://" + address + "/api/v1"}
		w := newWorkspaceBeside(t, fake, "provider \"hosting\" {\n max_retries = 12\n}\nresource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example\"\n}")
		logged := w.logs()
		apply := w.start("apply", "-auto-approve", "-no-color")
		apply.until("a connection is refused", func() bool { return logged("connection refused") })
		server := serve(t, address, service)
		t.Cleanup(func() { server.Close(); service.Close() })
		r := apply.wait()
		must(t, r.exit == 0, "the apply: got exit %d, want 0:\n%s", r.exit, r.output)
		must(t, fake.Count("POST", "/webhooks") == 1, "POSTs that arrived: got %d, want 1", fake.Count("POST", "/webhooks"))
		return "applied once the service listened, " + counts(fake, "POST /webhooks")
	}},
	{7, "Ctrl-C while the POST is in flight", func(t *testing.T) string {
		fake := startFake(t)
		release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
		held := make(chan struct{})
		answer := sync.OnceFunc(func() { close(held) })
		defer answer()
		fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances", AfterCommit: true, Rewrite: func(map[string]any) { <-held }})
		w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance))
		logged := w.logs()
		apply := w.start("apply", "-auto-approve", "-no-color")
		apply.until("the instance is made", func() bool { return len(fake.Instances()) == 1 })
		const stopped = "Closed all our contexts"
		must(t, !logged(stopped), "the provider was stopped before the interruption")
		apply.signal(syscall.SIGINT)
		machine.Until(t, "the provider is stopped", func() bool { return logged(stopped) })
		answer()
		apply.wait()
		must(t, w.mustBeKept("hosting_instance", "test").Attributes["id"] == onlyInstance(t, fake), "the id is not in the state")
		release()
		w.apply()
		w.mustBeSettled()
		return "id saved, " + counts(fake, "POST /instances")
	}},
	{8, "kill -9 during the creation, double Ctrl-C, namesakes", func(t *testing.T) string {
		for _, kill := range []func(*started){
			func(s *started) { s.signalGroup(syscall.SIGKILL) },
			func(s *started) {
				s.signal(syscall.SIGINT)
				// On a busy machine, the first signal may end the CLI before the second
				// is sent.
				if err := s.command.Process.Signal(syscall.SIGINT); !errors.Is(err, os.ErrProcessDone) {
					must(t, err == nil, "%v", err)
				}
			},
		} {
			fake := startFake(t)
			release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
			w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance))
			apply := w.start("apply", "-auto-approve", "-no-color")
			apply.until("the creation's job is polled", func() bool { return fake.Count("GET", "/jobs/*") > 0 })
			kill(apply)
			apply.wait()
			id := onlyInstance(t, fake)
			if w.saved("hosting_instance", "test") == nil {
				w.fails("no second instance was requested", `id = "`+id+`"`)
				w.write("import.tf", "import {\n  to = hosting_instance.test\n  id = \""+id+"\"\n}\n")
			}
			release()
			w.apply()
			w.mustBeSettled()
			must(t, fake.Count("POST", "/instances") == 1, "creations: got %d, want 1", fake.Count("POST", "/instances"))
		}
		fake := startFake(t)
		w := newWorkspaceBeside(t, fake, strings.Replace(instanceHCL(plainInstance), "name ", "count = 2\n  name ", 1))
		w.apply()
		w.mustBeSettled()
		must(t, len(fake.Instances()) == 2, "instances of one name: got %d, want 2", len(fake.Instances()))
		return "2 kills: 1 instance each; 2 of one name in one apply: 2 instances"
	}},
	{31, "the service is restarted in the middle of an apply", func(t *testing.T) string {
		service := fakeservice.New(fakeservice.Options{Speed: 100, APIKey: fakeservicetest.APIKey})
		t.Cleanup(func() { service.Close() })
		release := service.HoldBuilds(fakeservice.BuildMatch{}) // or the apply could be over before the second restart
		address := reserveAddress(t)
		server := serve(t, address, service)
		fake := &fakeservicetest.Server{Service: service, BaseURL: "http://" + address + "/api/v1"}
		w := newWorkspaceBeside(t, fake, appHCL(appArguments))
		apply := w.start("apply", "-auto-approve", "-no-color")
		for n, moment := range []func() bool{
			func() bool { return fake.Count("GET", "/jobs/*") > 0 },
			func() bool { return fake.Count("GET", "/instances/*/apps/*/builds") > 0 },
		} {
			machine.Until(t, fmt.Sprint("moment ", n), moment)
			server.Close()
			dropConnections(t, address, 2)
			server = serve(t, address, service)
		}
		release()
		r := apply.wait()
		server.Close()
		must(t, r.exit == 0, "the apply: got exit %d, want 0:\n%s", r.exit, r.output)
		mustBeOnce(t, fake)
		return "2 restarts, apply complete, " + counts(fake, "POST /instances", "POST /instances/*/apps/import")
	}},
}

// importBlockOf returns the import block of an instance as messages show it.
func importBlockOf(id string) string {
	return fmt.Sprintf(`import { to = hosting_instance.NAME id = %q }`, id)
}

// mustHaveAdopted checks that an apply whose answer was lost has adopted the only
// instance, warned about it, and sent one request.
func (w *workspace) mustHaveAdopted(fake *fakeservicetest.Server, r result) {
	w.t.Helper()
	id := onlyInstance(w.t, fake)
	must(w.t, w.mustBeKept("hosting_instance", "test").Attributes["id"] == id, "another id is in the state")
	must(w.t, strings.Contains(r.output, "the response to the create request was lost") && strings.Contains(r.output, "Instance "+id+" did not exist before"),
		"no warning names the adopted instance:\n%s", r.output)
	must(w.t, fake.Count("POST", "/instances") == 1, "%d creations", fake.Count("POST", "/instances"))
	w.mustBeSettled()
}

// serve serves a handler at an address.
func serve(t *testing.T, address string, handler http.Handler) *http.Server {
	t.Helper()
	listener := listenAt(t, address)
	server := &http.Server{Handler: handler}
	go server.Serve(listener)
	return server
}

// dropConnections accepts n connections at an address and drops them without an answer.
func dropConnections(t *testing.T, address string, n int) {
	t.Helper()
	listener := listenAt(t, address)
	defer listener.Close()
	for range n {
		connection, err := listener.Accept()
		must(t, err == nil, "%v", err)
		connection.Close()
	}
}
