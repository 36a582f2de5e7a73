package dataplane_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// control asks a control route, as a program on this machine does.
func (f *fake) control(path string) object {
	f.t.Helper()
	request, err := http.NewRequest(http.MethodGet, f.RootURL+path, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+f.ControlToken())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer object
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		f.t.Fatalf("%s: %s", path, err)
	}
	return answer
}

// A program finds what runs, what was mailed, and what an app wrote.
func TestControlRoutes(t *testing.T) {
	t.Parallel()
	b := start(t, withRepositories(t)).fullBox()
	b.mustRun(b.importApp("octo/app", object{"VERSION": "seven"}))
	record := b.auth()
	for _, path := range []string{"/signup", "/recover"} {
		b.done("PATCH", b.path+"/engines/auth/settings", object{"site_url": "https://app.example"})
		if status, answer := record.post(t, record.AnonKey, path, account); status != http.StatusOK {
			t.Fatalf("%s answered %d %v", path, status, answer)
		}
	}
	processes := b.control("/_fake/processes")["processes"].([]any)
	found := map[any]bool{}
	for _, p := range processes {
		found[p.(object)["engine"]] = p.(object)["pid"].(float64) > 1 && p.(object)["instance_id"] == b.id
	}
	if len(processes) != 2 || !found["apps"] || !found["postgres"] {
		t.Errorf("the processes are %v", processes)
	}
	mails := b.control("/_fake/mail")["mail"].([]any)
	if len(mails) != 1 || mails[0].(object)["to"] != "ada@example.test" || !strings.Contains(mails[0].(object)["link"].(string), "/verify?") {
		t.Errorf("the mails are %v", mails)
	}
	if log := b.control("/_fake/apps/" + b.id + "/web/log")["log"].(string); !strings.Contains(log, "app: version seven") {
		t.Errorf("the app's log is %q", log)
	}
	if log := b.control("/_fake/apps/" + b.id + "/nothing/log")["log"]; log != "" {
		t.Errorf("the log of no app is %q", log)
	}
}
