package dataplane_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Resets during all kinds of work leave neither a process nor a file. The work creates
// machines, builds and starts apps, changes databases, and makes backups. With -race, the
// test shows that the data plane uses its locks correctly.
func TestResetsUnderRealWork(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	repository := builtApp(t)
	folder, apps := stateFolder(t), diskFolder(t)
	plane := fakeservicetest.WithDataPlane(t, func(o *dataplane.Options) {
		o.StateFolder, o.AppsFolder = folder, apps
		o.Repositories = map[string]string{"octo/app": repository}
	})
	f := &fake{fakeservicetest.Start(t, plane, func(o *fakeservice.Options) { o.Speed = 10_000 }), t}

	const resets, atOnce = 8, 3
	over, worked := make(chan struct{}), make(chan struct{})
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			step := func(method, path string, body any) object {
				status, answer, err := f.try(method, path, body)
				if err != nil || status == http.StatusInternalServerError {
					t.Errorf("%s %s: got %d %v and error %v, want another status than 500", method, path, status, answer, err)
				}
				if id, ok := answer["job_id"].(string); ok {
					_ = f.FinishJob(id) // a reset may have removed the job
				}
				select {
				case worked <- struct{}{}:
				case <-over:
				}
				return answer
			}
			for {
				select {
				case <-over:
					return
				default:
				}
				made := step("POST", "/instances", object{"name": "box", "plan": "free", "region": "eu-central", "engines": object{"postgres": true, "apps": true, "auth": true}})
				path := fmt.Sprint("/instances/", made["id"])
				step("POST", path+"/apps/import", object{"repo": "octo/app", "branch": "main", "name": "web", "port": 3000, "health_path": "/healthz", "public": true})
				step("PUT", path+"/sql-console", object{"mode": "rw"})
				step("POST", path+"/engines/postgres/query", object{"sql": "CREATE TABLE t AS SELECT generate_series(1, 1000)"})
				step("POST", path+"/postgres/databases", object{"name": "more"})
				step("POST", path+"/apps/web/actions/restart", nil)
				step("POST", path+"/actions/rotate", object{})
				step("GET", path+"/apps", nil)
				f.Advance(24 * time.Hour) // makes a daily backup
				step("POST", path+"/actions/reset", object{"confirm": made["id"], "engine": "postgres"})
				step("DELETE", path+"?confirm="+fmt.Sprint(made["id"]), nil)
			}
		})
	}
	for n := range resets {
		for range 5 + 8*(n%4) { // a different point of the work each time
			<-worked
		}
		f.Reset()
	}
	close(over)
	workers.Wait()
	f.Reset()
	f.Advance(time.Minute)
	machine.Until(t, "no process of a machine is left", func() bool {
		return len(processes.With(t, folder))+len(processes.With(t, apps)) == 0
	})
	for _, of := range []string{folder + "/hostingfake-*/pg/i-*", folder + "/hostingfake-*/backups/*", apps + "/hostingapps-*/i-*"} {
		machine.Until(t, "no folder "+of+" is left", func() bool {
			found, err := filepath.Glob(of)
			return err == nil && len(found) == 0
		})
	}
}

// builtApp returns a repository that contains the compiled program, so that builds have
// nothing to do.
func builtApp(t *testing.T) string {
	t.Helper()
	repository := t.TempDir()
	compile := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(repository, "app"), ".")
	compile.Dir, compile.Env = "../appruntime/testdata/app", append(os.Environ(), "GOWORK=off") // go.work lacks it
	if said, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%s", err, said)
	}
	must.Do(t, os.WriteFile(filepath.Join(repository, "hosting.json"), []byte(`{"build": "true", "start": "./app"}`), 0o600))
	return repository
}

// try sends a request and returns the status and the body, which may be empty.
func (f *fake) try(method, path string, body any) (int, object, error) {
	var text bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&text).Encode(body); err != nil {
			return 0, nil, err
		}
	}
	request, err := http.NewRequest(method, f.BaseURL+path, &text)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+fakeservicetest.APIKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	var answer object
	return response.StatusCode, answer, json.NewDecoder(response.Body).Decode(&answer)
}
