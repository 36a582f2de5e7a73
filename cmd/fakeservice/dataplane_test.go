package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/couchdb"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// missing is a machine without PostgreSQL.
func missing(context.Context, string) (postgres.Binaries, error) {
	return postgres.Binaries{}, &postgres.MissingError{Looked: "anywhere"}
}

// Without a data plane, the fake states the reason at the start, and again in the answer to
// SQL.
func TestWithoutDataPlane(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ args, want []string }{
		{[]string{"--data-plane=off"}, []string{"--data-plane=off"}},
		{nil, []string{"not found anywhere", "install", "--postgres-bin"}},
	} {
		s := must.Get(parse(row.args, os.Stderr))(t)
		engines, err := startEngines(t.Context(), s, state{}, missing, nil)
		if err != nil || engines.plane != nil {
			t.Fatalf("%v: got the data plane %v and error %v, want neither", row.args, engines.plane, err)
		}
		_, err = engines.querier.Query(t.Context(), fakeservice.Query{})
		for _, want := range row.want {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(engines.text, want) {
				t.Errorf("%v: got the answer %v and the text %q, want %q in both", row.args, err, engines.text, want)
			}
		}
	}
}

// A state that has the data of machines is refused without a data plane: the records would
// change and the data would not.
func TestStateNeedsItsDataPlane(t *testing.T) {
	t.Parallel()
	kept := state{folder: filepath.Join(t.TempDir(), "a[1]")} // not a pattern
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(kept.machine("i-1")), 0o700), os.WriteFile(kept.machine("i-1"), nil, 0o600)))
	for _, args := range [][]string{{"--data-plane=off"}, nil} {
		s := must.Get(parse(args, os.Stderr))(t)
		if _, err := startEngines(t.Context(), s, kept, missing, nil); err == nil || !strings.Contains(err.Error(), "the data of 1 machines") {
			t.Errorf("%v: got %v, want an error with the number of machines", args, err)
		}
	}
}

// Missing engines are an error if the flags ask for them.
func TestDataPlaneThatIsMissed(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--data-plane=on"}, {"--postgres-bin=/nowhere"}} {
		s := must.Get(parse(args, os.Stderr))(t)
		if _, err := startEngines(t.Context(), s, state{}, missing, nil); err == nil {
			t.Errorf("%v: got engines, want an error", args)
		}
	}
}

// Without a redis-server, the fake says so and how to install one, and runs the rest.
func TestWithoutRedis(t *testing.T) {
	t.Parallel()
	wrong := errors.New("it crashed")
	for _, row := range []struct {
		found  redis.Program
		err    error
		text   string
		failed error
	}{
		{found: redis.Program{Path: "/usr/bin/redis-server", Version: 7}, text: "Redis 7 from /usr/bin"},
		{err: &redis.MissingError{Why: "was not found on PATH"}, text: "a record alone: redis-server, version 7 or newer, was not found on PATH; install it with: "},
		{err: wrong, failed: wrong},
	} {
		found, text, err := locateRedis(row.found, row.err)
		if found != row.found || !strings.Contains(text, row.text) || !errors.Is(err, row.failed) {
			t.Errorf("locateRedis(%+v, %v) = %+v, %q, %v, want the text %q and error %v", row.found, row.err, found, text, err, row.text, row.failed)
		}
	}
}

// Without what runs CouchDB, the fake says so and what to do, and runs the rest.
func TestWithoutCouchDB(t *testing.T) {
	t.Parallel()
	wrong := errors.New("it crashed")
	found := couchdb.Program{Node: "/usr/bin/node", Version: 20, Modules: "/x/node_modules"}
	for _, row := range []struct {
		found, want couchdb.Program
		err         error
		text        string
		failed      error
	}{
		{found: found, want: found, text: "CouchDB with Node.js 20 from /usr/bin"},
		{err: &couchdb.MissingError{Why: "node was not found on PATH"}, text: "a record alone: node was not found on PATH; install Node.js 18 or newer with npm, run make couchdb"},
		{err: wrong, failed: wrong},
	} {
		got, text, err := locateCouchDB(row.found, row.err)
		if got != row.want || !strings.Contains(text, row.text) || !errors.Is(err, row.failed) {
			t.Errorf("%+v, %v: got %+v, %q, %v, want %q", row.found, row.err, got, text, err, row.text)
		}
	}
}

// A folder for CouchDB that the flags name must have what runs it.
func TestCouchDBThatIsMissed(t *testing.T) {
	t.Parallel()
	s := must.Get(parse([]string{"--couchdb-modules=/nowhere"}, os.Stderr))(t)
	if _, err := startEngines(t.Context(), s, state{}, postgres.Locate, nil); err == nil || !strings.Contains(err.Error(), "--couchdb-modules: its npm packages were not found in /nowhere") {
		t.Errorf("the start: got %v, want what to do", err)
	}
}

// When the program ends, all its child processes end. Its folder is removed too, except
// after SIGKILL.
func TestSignalsLeaveNothing(t *testing.T) {
	t.Parallel()
	program := builtProgram(t)
	for _, row := range []struct {
		signal      syscall.Signal
		keepsFolder bool
	}{{syscall.SIGTERM, false}, {syscall.SIGINT, false}, {syscall.SIGHUP, false}, {syscall.SIGQUIT, false}, {syscall.SIGUSR1, false}, {syscall.SIGKILL, true}} {
		t.Run(row.signal.String(), func(t *testing.T) {
			t.Parallel()
			folder := machine.PassableFolder(t, fakeservicetest.FastFolder())
			fake := startProgram(t, program, folder)
			ran := fake.fill(t)
			if row.keepsFolder && runtime.GOOS != "linux" {
				// Only Linux ends the children of a killed program.
				row.signal, row.keepsFolder = syscall.SIGTERM, false
			}
			if row.keepsFolder {
				ran = reachable(t, ran)
			}
			must.Do(t, fake.command.Process.Signal(row.signal))
			err := fake.command.Wait()
			if row.keepsFolder {
				// The kernel has signalled them, and they take a moment to end.
				machine.Until(t, "nothing runs", func() bool { return len(processes.Left(t, ran)) == 0 },
					func() string { return fmt.Sprint(processes.Left(t, ran)) })
			} else if err != nil {
				t.Errorf("the end of the program: got %v, want no error", err)
			}
			if left := processes.Left(t, ran); len(left) > 0 {
				t.Errorf("processes that still run: got %v, want none", left)
			}
			entries, err := os.ReadDir(folder)
			if err != nil || (len(entries) > 0) != row.keepsFolder {
				t.Errorf("the folder: got %v (%v), want it kept: %t", entries, err, row.keepsFolder)
			}
			if row.keepsFolder {
				sweepsUp(t, program, folder, entries)
			}
		})
	}
}

// sweepsUp checks that the next fake removes the remains of a killed one.
func sweepsUp(t *testing.T, program, folder string, left []os.DirEntry) {
	t.Helper()
	next := startProgram(t, program, folder)
	for _, entry := range left {
		if _, err := os.Stat(filepath.Join(folder, entry.Name())); !os.IsNotExist(err) {
			t.Errorf("%s of a killed program: got %v, want it gone", entry.Name(), err)
		}
	}
	must.Do(t, next.command.Process.Signal(syscall.SIGTERM))
	if err := next.command.Wait(); err != nil {
		t.Errorf("the end of the next program: got %v, want no error", err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("the folder: got %v (%v), want it empty", entries, err)
	}
}

// reachable returns the processes that the kernel ends with the fake. The children of an
// app or a build are among them if the fake can contain them, which it can as root. The
// test itself ends the others.
func reachable(t *testing.T, ran []processes.Process) []processes.Process {
	t.Helper()
	own := must.Get(os.Readlink("/proc/self/ns/pid"))(t)
	return slices.DeleteFunc(ran, func(p processes.Process) bool {
		if of, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", p.ID)); err != nil || of != own || !strings.HasPrefix(p.Arguments, "sleep") {
			return false
		}
		t.Cleanup(func() { _ = syscall.Kill(p.ID, syscall.SIGKILL) })
		return true
	})
}

// running is the program as a separate process.
type running struct {
	command   *exec.Cmd
	base, key string
	// transport is nil if the base resolves to this machine.
	transport http.RoundTripper
}

func startProgram(t *testing.T, program, folder string) *running {
	t.Helper()
	fake := &running{key: fakeservicetest.APIKey, command: exec.CommandContext(t.Context(), program, "--listen", ":0", "--log-level", "warn", "--api-key", fakeservicetest.APIKey, "--speed", "1000", "--data-plane", "on", "--temp-dir", folder,
		"--repo", "octo/app="+repository(t, `{"start": "sleep 3001; echo over"}`),
		"--repo", "octo/slow="+repository(t, `{"build": "sleep 3002; echo over", "start": "true"}`))}
	fake.command.Stderr = os.Stderr
	out := must.Get(fake.command.StdoutPipe())(t)
	must.Do(t, fake.command.Start())
	first := must.Get(bufio.NewReader(out).ReadString('\n'))(t)
	_, fake.base, _ = strings.Cut(strings.TrimSpace(first), " at ")
	return fake
}

// repository returns a folder with a recipe.
func repository(t *testing.T, recipe string) string {
	t.Helper()
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "hosting.json"), []byte(recipe), 0o600))
	return folder
}

// fill creates two instances: one with Postgres, an app that a shell runs and a build that
// does not end, and one with Redis and NATS. It returns the processes that must end with
// the fake.
func (fake *running) fill(t *testing.T) []processes.Process {
	t.Helper()
	made := fake.call(t, http.MethodPost, "/instances", `{"name": "box", "plan": "free", "region": "eu-central", "engines": {"postgres": true, "apps": true}}`)
	path := "/instances/" + made["id"].(string)
	fake.wait(t, made)
	fake.wait(t, fake.call(t, http.MethodPut, path+"/engines", `{"engines": {"postgres": {}, "apps": {"memory_mb": 1024}}}`))
	other := fake.call(t, http.MethodPost, "/instances", `{"name": "other", "plan": "free", "region": "eu-central", "engines": {}}`)
	fake.wait(t, other)
	fake.wait(t, fake.call(t, http.MethodPut, "/instances/"+other["id"].(string)+"/engines", `{"engines": {"redis": {}, "nats": {}}}`))
	for _, name := range []string{"app", "slow"} {
		fake.wait(t, fake.call(t, http.MethodPost, path+"/apps/import", `{"repo": "octo/`+name+`", "branch": "main", "name": "`+name+`", "port": 3000, "health_path": "/"}`))
	}
	wanted := []string{"postgres", "sleep 3001", "sleep 3002"}
	if _, err := redis.Locate(t.Context()); err == nil {
		wanted = append(wanted, "redis.sock") // the end of the name that Redis shows for itself
	}
	var ran []processes.Process
	var missing []string
	machine.Until(t, "all of it runs", func() bool {
		ran = processes.Below(t, fake.command.Process.Pid)
		missing = slices.DeleteFunc(slices.Clone(wanted), func(text string) bool {
			return slices.ContainsFunc(ran, func(p processes.Process) bool { return strings.HasPrefix(filepath.Base(p.Arguments), text) })
		})
		return len(missing) == 0
	}, func() string { return fmt.Sprintf("%v do not run among %v", missing, ran) })
	return ran
}

// wait waits for the job of an answer to succeed.
func (fake *running) wait(t *testing.T, answer map[string]any) {
	t.Helper()
	if job := fake.ended(t, answer); job["status"] != fakeservice.StatusDone {
		t.Fatalf("the job: got %v, want it done", job)
	}
}

// ended waits for the end of an answer's job and returns it, successful or not.
func (fake *running) ended(t *testing.T, answer map[string]any) (job map[string]any) {
	t.Helper()
	machine.Until(t, "the job has ended", func() bool {
		job = fake.call(t, http.MethodGet, "/jobs/"+answer["job_id"].(string), "")
		return job["status"] == fakeservice.StatusDone || job["status"] == fakeservice.StatusFailed
	}, func() string { return fmt.Sprint(job) })
	return job
}

// runs waits for an app to run, and returns its record. On a busy machine, a failed app may
// still start to answer; an app with a failed build cannot.
func (fake *running) runs(t *testing.T, path string) (app map[string]any) {
	t.Helper()
	builds := func() []any { return fake.call(t, http.MethodGet, path+"/builds", "")["builds"].([]any) }
	state := func() string { return fmt.Sprintf("the app is %v, its builds %v", app, builds()) }
	machine.Until(t, "the app runs", func() bool {
		app = fake.call(t, http.MethodGet, path, "")
		if app["status"] == fakeservice.StatusFailed && !slices.ContainsFunc(builds(), func(b any) bool {
			return b.(map[string]any)["status"] == fakeservice.StatusSuccessful
		}) {
			t.Fatalf("the app: got %s, want it running", state())
		}
		return app["status"] == fakeservice.StatusRunning
	}, state)
	return app
}

func (fake *running) call(t *testing.T, method, path, body string) map[string]any {
	t.Helper()
	request := must.Get(http.NewRequestWithContext(t.Context(), method, fake.base+path, bytes.NewBufferString(body)))(t)
	request.Header.Set("Authorization", "Bearer "+fake.key)
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Transport: fake.transport}
	response, err := client.Do(request)
	must.Do(t, err)
	defer response.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: got %d %v (%v), want a success", method, path, response.StatusCode, answer, err)
	}
	return answer
}
