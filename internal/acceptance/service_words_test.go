package acceptance

import (
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// These tests have a service whose words and forms are not the documented ones.

// rewriteApps changes the records of apps.
func rewriteApps(fake *fakeservicetest.Server, change func(map[string]any)) {
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/apps/*", Times: -1, Rewrite: change})
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/apps", Times: -1, Rewrite: func(m map[string]any) {
		for _, app := range m["apps"].([]any) {
			change(app.(map[string]any))
		}
	}})
}

// A replacement of the app would delete its data.
func TestRepositoryInTheFormOfTheService(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]string{"with .git": "octo/guestbook.git", "in another case": "Octo/Guestbook.GIT", "with a slash": "octo/guestbook/"} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			rewriteApps(fake, func(app map[string]any) { app["repo"] = form })
			w := newWorkspace(t, fake, oneApp(""))
			w.apply()
			w.mustBeSettled()
		})
	}
}

func TestStoppedAppShowsZeros(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, oneApp("memory_mb = 512"))
	w.apply()
	fake.EditApp("i-one", "guestbook", func(a *fakeservice.App) { a.Status = "stopped" })
	rewriteApps(fake, func(app map[string]any) { app["port"], app["health_path"], app["memory_mb"] = 0, "", 0 })
	w.mustBeSettled()
}

func TestWordsThatAreNotDocumented(t *testing.T) {
	t.Parallel()
	t.Run("an extension", func(t *testing.T) {
		fake := seeded(t)
		fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/postgres/extensions", Times: -1, Rewrite: func(m map[string]any) {
			m["extensions"] = []any{map[string]any{"name": "postgis", "database": "main", "version": "3.5"}}
		}})
		extension := func(name string) string {
			return "resource \"hosting_postgres_extension\" \"test\" {\n  instance_id = \"i-one\"\n  name = \"" + name + "\"\n}\n"
		}
		w := newWorkspace(t, fake, "import {\n  to = hosting_postgres_extension.test\n  id = \"i-one/main/postgis\"\n}\n"+extension("postgis"))
		w.apply()
		w.mustBeSettled()
		w.configure(extension("pg_trgn"))
		w.says(0, []string{"The service may refuse the extension", `did you mean "pg_trgm"?`}, "plan")
	})
	t.Run("a console mode", func(t *testing.T) {
		fake := seeded(t)
		mode := "resource \"hosting_console_mode\" \"test\" {\n  instance_id = \"i-one\"\n  mode = \"admin\"\n}\n"
		w := newWorkspace(t, fake, mode)
		w.says(0, []string{"The service may refuse the console mode"}, "plan")
		fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*", Times: -1, Rewrite: func(m map[string]any) { m["console_mode"] = "admin" }})
		w.configure("import {\n  to = hosting_console_mode.test\n  id = \"i-one\"\n}\n" + mode)
		w.apply()
		w.mustBeSettled()
	})
	t.Run("a link", func(t *testing.T) {
		w := newWorkspace(t, seededApps(t), oneApp(`links = ["postgres"]`))
		w.says(0, []string{"The service may refuse the link", "documented: auth"}, "plan")
	})
}

func TestSiteURLOfAnAppOnAPhone(t *testing.T) {
	fake := seededApps(t)
	settings := "resource \"hosting_auth_settings\" \"test\" {\n  instance_id = \"i-one\"\n  site_url = \"myapp://login\"\n}\n"
	imported := "import {\n  to = hosting_auth_settings.test\n  id = \"i-one\"\n}\n"
	w := newWorkspace(t, fake, imported+settings)
	w.says(1, []string{"The auth settings of instance i-one were never set", "Remove the import"}, "plan")
	w.configure(settings)
	w.apply()
	w.mustBeSettled()
}

// At many receivers, the URL of a webhook is the secret.
func TestURLOfAWebhookIsNotShown(t *testing.T) {
	const path = "/services/T0/canary-of-a-url"
	endpoint := func(url string) string {
		return "resource \"hosting_webhook_endpoint\" \"test\" {\n  url = sensitive(\"" + url + "\")\n}\n"
	}
	fake := startFake(t)
	quoting := fake.Inject(fakeservice.Fault{Method: "POST", Path: "/webhooks", Times: -1, Status: 422, Code: "validation_failed",
		Detail: "url: https://hooks.example.com" + path + " does not answer at " + path})
	w := newWorkspace(t, fake, endpoint("https://hooks.example.com"+path))
	hidden := func(r result) {
		t.Helper()
		quoted := strings.ReplaceAll(r.output, "url = sensitive(\"https://hooks.example.com"+path, "") // Terraform quotes the configuration
		quoted = strings.ReplaceAll(quoted, "url = sensitive(\"http://hooks.example.com"+path, "")
		must(t, !strings.Contains(quoted, "canary"), "the output shows the URL:\n%s", r.output)
	}
	hidden(w.fails("Unable to create webhook endpoint https://hooks.example.com", "https://hooks.example.com/(secret)"))
	quoting()
	w.apply()
	w.configure(endpoint("https://hooks.example.com"+path) + strings.Replace(endpoint("https://hooks.example.com"+path), `"test"`, `"other"`, 1))
	hidden(w.run("plan", "-no-color"))
	w.configure(strings.Replace(endpoint("https://hooks.example.com"+path), "https://", "http://", 1))
	hidden(w.run("plan", "-no-color"))
	hidden(w.run("import", "-no-color", "hosting_webhook_endpoint.other", "https://hooks.example.com"+path))
}
