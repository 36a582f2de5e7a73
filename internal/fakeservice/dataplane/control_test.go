package dataplane_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// control requests a control route, as a program on this machine does.
func (f *fake) control(path string) object {
	f.t.Helper()
	request := must.Get(http.NewRequest(http.MethodGet, f.RootURL+path, nil))(f.t)
	request.Header.Set("Authorization", "Bearer "+f.ControlToken())
	response, err := http.DefaultClient.Do(request)
	must.Do(f.t, err)
	defer response.Body.Close()
	var answer object
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		f.t.Fatalf("%s: %s", path, err)
	}
	return answer
}

// Programs can read the running processes, the mails and the logs of apps.
func TestControlRoutes(t *testing.T) {
	t.Parallel()
	b := start(t, withRepositories(t)).fullBox()
	b.mustRun(b.importApp("octo/app", object{"VERSION": "seven"}))
	record := b.auth()
	for _, path := range []string{"/signup", "/recover"} {
		b.done("PATCH", b.path+"/engines/auth/settings", object{"site_url": "https://app.example"})
		if status, answer := record.post(t, record.AnonKey, path, account); status != http.StatusOK {
			t.Fatalf("%s: got %d %v, want 200", path, status, answer)
		}
	}
	processes := b.control("/_fake/processes")["processes"].([]any)
	found := map[any]bool{}
	for _, p := range processes {
		found[p.(object)["engine"]] = p.(object)["pid"].(float64) > 1 && p.(object)["instance_id"] == b.id
	}
	if len(processes) != 2 || !found["apps"] || !found["postgres"] {
		t.Errorf("the processes: got %v, want one of apps and one of postgres", processes)
	}
	mails := b.control("/_fake/mail")["mail"].([]any)
	if len(mails) != 1 || mails[0].(object)["to"] != "ada@example.test" || !strings.Contains(mails[0].(object)["link"].(string), "/verify?") {
		t.Errorf("the mails: got %v, want one to ada@example.test with a link", mails)
	}
	if log := b.control("/_fake/apps/" + b.id + "/web/log")["log"].(string); !strings.Contains(log, "app: version seven") {
		t.Errorf("the app's log: got %q, want \"app: version seven\" in it", log)
	}
	if log := b.control("/_fake/apps/" + b.id + "/nothing/log")["log"]; log != "" {
		t.Errorf("the log of no app: got %q, want none", log)
	}
}

// The log of a build can be read while the build runs, and after it has succeeded or
// failed.
func TestBuildLogs(t *testing.T) {
	t.Parallel()
	slow, apps := t.TempDir(), machine.PassableFolder(t, "")
	recipe := `{"build": "echo step $((0+1)); while [ ! -e gate ]; do sleep 0.02; done; echo step $((1+1))", "start": "sleep 1000"}`
	must.Do(t, os.WriteFile(filepath.Join(slow, "hosting.json"), []byte(recipe), 0o600))
	b := start(t, withRepositories(t), func(o *dataplane.Options) { o.Repositories["octo/slow"], o.AppsFolder = slow, apps }).fullBox()
	b.SetDuration("build", time.Millisecond)
	b.done("POST", b.path+"/apps/import", object{
		"repo": "octo/slow", "branch": "main", "name": "web", "port": 3000, "health_path": "/healthz",
	})
	a, _ := b.App(b.id, "web")
	log := func() string {
		text, _ := b.control("/_fake/apps/" + b.id + "/web/builds/" + a.Builds[0].ID + "/log")["log"].(string)
		return text
	}
	machine.Until(t, "the build says something", func() bool { return strings.Contains(log(), "step 1") })
	if a, _ = b.App(b.id, "web"); a.Builds[0].Status != fakeservice.StatusRunning || strings.Contains(log(), "step 2") {
		t.Errorf("the build: got %s with the log %q, want %s before step 2", a.Builds[0].Status, log(), fakeservice.StatusRunning)
	}
	// A build sees only its own folder.
	own, err := filepath.Glob(filepath.Join(apps, "*", "build-*", "source"))
	if err != nil || len(own) != 1 {
		t.Fatalf("the folders of the build: got %v and error %v, want one", own, err)
	}
	must.Do(t, os.WriteFile(filepath.Join(own[0], "gate"), nil, 0o644))
	machine.Until(t, "the build ends", func() bool { a, _ = b.App(b.id, "web"); return !a.Builds[0].InProgress() })
	if a.Builds[0].Status != fakeservice.StatusSuccessful || !strings.Contains(log(), "step 2") {
		t.Errorf("the build: got %s with the log %q, want %s after step 2", a.Builds[0].Status, log(), fakeservice.StatusSuccessful)
	}
	b.done("DELETE", b.path+"/apps/web", nil)
	if failed := b.importApp("octo/broken", object{}); failed.Builds[0].Status != fakeservice.StatusFailed {
		t.Errorf("the build: got %s, want %s", failed.Builds[0].Status, fakeservice.StatusFailed)
	}
	if a, _ = b.App(b.id, "web"); !strings.Contains(log(), "no luck") {
		t.Errorf("the log of the failed build: got %q, want \"no luck\" in it", log())
	}
	if answer := b.control("/_fake/apps/" + b.id + "/web/builds/none/log"); answer["error"] == nil {
		t.Errorf("the log of no build: got %v, want an error", answer)
	}
}
