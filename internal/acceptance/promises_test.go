package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// The tests below check that an apply returns what its plan promised, whatever the
// service returns in the meantime. The next refresh shows values that have changed.

// meanwhile alters the answers to GETs of a path after a request was sent.
func meanwhile(fake *fakeservicetest.Server, method, sent, path string, alter func(map[string]any)) (remove func()) {
	return fake.Inject(fakeservice.Fault{Method: "GET", Path: path, Times: -1, Rewrite: func(answer map[string]any) {
		if fake.Count(method, sent) > 0 {
			alter(answer)
		}
	}})
}

func TestInstanceMovesOnWhileItIsUpdated(t *testing.T) {
	t.Parallel()
	plain := instanceHCL(plainInstance)
	renamed := strings.Replace(plain, `"test"`+"\n  plan", `"other"`+"\n  plan", 1)
	for name, c := range map[string]struct {
		before    string // status
		path      string
		alter     func(map[string]any)
		attribute string
		now       string // value that the next refresh reads
	}{
		"status restarting": {"running", "/instances/*", func(m map[string]any) { m["status"] = "restarting" }, "status", "restarting"},
		"status failed":     {"running", "/instances/*", func(m map[string]any) { m["status"] = "failed" }, "status", "failed"},
		"status recovered":  {"failed", "/instances/*", func(m map[string]any) { m["status"] = "running" }, "status", "running"},
		"CA renewed":        {"running", "/instances/*/connection", func(m map[string]any) { m["ca_certificate"] = "renewed" }, "ca_certificate", "renewed"},
		"host moved":        {"running", "/instances/*", func(m map[string]any) { m["host"] = "moved.example" }, "host", "moved.example"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, plain)
			w.apply()
			before := status(fake, func(string) string { return c.before })
			w.apply()
			before()
			meanwhile(fake, "PATCH", "/instances/*", c.path, c.alter)
			w.configure(renamed)
			r := w.run("apply", "-auto-approve", "-no-color", "-refresh=false")
			must(t, r.exit == 0, "the apply: got exit %d, want 0:\n%s", r.exit, r.output)
			must(t, fmt.Sprint(w.mustBeKept("hosting_instance", "test").Attributes[c.attribute]) != c.now, "the apply did not return what was planned")
			w.says(0, nil, "apply", "-refresh-only", "-auto-approve")
			must(t, w.mustBeKept("hosting_instance", "test").Attributes[c.attribute] == c.now, "the refresh does not show %s", c.now)
			w.mustBeSettled()
			must(t, len(fake.Jobs()) == 2, "jobs: got %+v, want two", fake.Jobs())
		})
	}
}

func TestServiceThatNormalisesSettings(t *testing.T) {
	t.Parallel()
	// The service changes the values that it receives. No apply is inconsistent, and the
	// next plan shows the change.
	for kind, c := range map[string]struct {
		created, changed string
		method, path     string
		alter            func(map[string]any)
	}{
		"auth settings": {
			"resource \"hosting_auth_settings\" \"test\" {\n instance_id = \"i-one\"\n site_url = \"https://a.example/x\"\n}",
			"resource \"hosting_auth_settings\" \"test\" {\n instance_id = \"i-one\"\n site_url = \"https://b.example/x\"\n}",
			"GET", "/instances/*/engines/auth/settings",
			func(m map[string]any) { m["site_url"] = fmt.Sprint(m["site_url"], "/") },
		},
		"allowlist": {
			"resource \"hosting_allowlist\" \"test\" {\n instance_id = \"i-one\"\n cidrs = [\"203.0.113.7\"]\n}",
			"resource \"hosting_allowlist\" \"test\" {\n instance_id = \"i-one\"\n cidrs = [\"203.0.113.8\"]\n}",
			"GET", "/instances/*/allowlist",
			func(m map[string]any) {
				for i, block := range m["allowlist"].([]any) {
					m["allowlist"].([]any)[i] = fmt.Sprint(block, "/32")
				}
			},
		},
		"webhook endpoint": {
			"resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example/a\"\n}",
			"resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example/b\"\n}",
			"", "/webhooks/**",
			func(m map[string]any) {
				if url, ok := m["url"]; ok {
					m["url"] = fmt.Sprint(url, "/")
				}
			},
		},
	} {
		t.Run(kind, func(t *testing.T) {
			fake := seededApps(t)
			remove := fake.Inject(fakeservice.Fault{Method: c.method, Path: c.path, Times: -1, Rewrite: c.alter})
			w := newWorkspace(t, fake, c.created)
			w.apply()
			w.configure(c.changed)
			w.apply()
			remove()
			w.apply()
			w.mustBeSettled()
		})
	}
}

func TestWebhookEndpointMovesOnWhileItIsMade(t *testing.T) {
	fake := startFake(t)
	for _, path := range []string{"/webhooks", "/webhooks/*"} {
		fake.Inject(fakeservice.Fault{Path: path, Times: 2, Rewrite: func(m map[string]any) {
			if _, ok := m["url"]; ok {
				m["enabled"], m["url"] = false, fmt.Sprint(m["url"], "/")
			}
		}})
	}
	w := newWorkspace(t, fake, "resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example/in\"\n}")
	w.apply()
	object := w.mustBeKept("hosting_webhook_endpoint", "test")
	must(t, object.Attributes["url"] == "https://hooks.example/in" && object.Attributes["enabled"] == true, "the endpoint in the state: got %v, want https://hooks.example/in, enabled", object.Attributes)
}
