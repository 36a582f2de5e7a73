package acceptance

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// appWithToken is an app with a secret variable. Its value is an ephemeral variable.
const appWithToken = `
variable "token" {
  type      = string
  ephemeral = true
}
resource "hosting_app" "test" {
  instance_id           = "i-one"
  name                  = "guestbook"
  repo                  = "octo/guestbook"
  deletion_protection   = false
  secret_env_wo         = { TOKEN = var.token }
  secret_env_wo_version = 1
}
`

// A build that prints the app's variables does not reveal them to a process that has
// never sent them. They are neither in the state, nor in an error, nor in the provider's
// log.
func TestLogsShowNoVariablesToAnotherProcess(t *testing.T) {
	needs(t, providerActions)
	const canary = "canary-of-another-process"
	fake := seededApps(t)
	sender := newWorkspace(t, fake, appWithToken)
	sender.env = append(sender.env, "TF_VAR_token="+canary)
	sender.apply()

	w := newWorkspaceBeside(t, fake, `
data "hosting_app_builds" "test" {
  instance_id = "i-one"
  app         = "guestbook"
}
action "hosting_app_redeploy" "test" {
  config {
    instance_id = "i-one"
    app         = "guestbook"
  }
}
`)
	log := filepath.Join(w.folder, "trace.log")
	w.env = append(w.env, "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+log)
	w.apply()
	fake.FailBuilds(fakeservice.BuildMatch{}, 2, "step 3 of 9\nexport TOKEN="+canary+"\nno such file")
	redeploy := []string{"apply", "-auto-approve", "-invoke=action.hosting_app_redeploy.test"}
	redeployed := w.says(1, []string{"step 3 of 9", "export TOKEN=(secret)", "no such file"}, redeploy...)
	w.apply()
	places := map[string]string{"output": redeployed.output, "state": w.read("terraform.tfstate")}
	if !strings.Contains(places["state"], `step 3 of 9\nexport TOKEN=(secret)\nno such file`) {
		t.Errorf("the state: got\n%s\nwant the log in it", places["state"])
	}

	// If the variables cannot be read, the log is not shown.
	fake.Inject(fakeservice.Fault{Method: http.MethodGet, Path: "/instances/*/apps/*", Times: -1, Rewrite: func(app map[string]any) { delete(app, "env") }})
	blind := w.says(0, []string{"The build logs of app guestbook are not shown"}, "apply", "-auto-approve")
	refused := w.says(1, []string{"The build's log is not shown, because the app's variables could not be read"}, redeploy...)
	places["output without variables"], places["state without variables"] = blind.output+refused.output, w.read("terraform.tfstate")
	if strings.Contains(places["output without variables"]+places["state without variables"], "step 3 of 9") {
		t.Errorf("without the variables: got\n%s%s\nwant no log", places["output without variables"], places["state without variables"])
	}
	places["log"] = w.read("trace.log")
	for place, text := range places {
		if len(text) < 100 {
			t.Errorf("the %s: got %q, want at least 100 bytes", place, text)
		}
		if at := strings.Index(text, canary); at >= 0 {
			t.Errorf("the %s holds the variable: …%s…", place, text[max(0, at-200):at+20])
		}
	}
}
