package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
)

// missing is a machine without PostgreSQL.
func missing(context.Context, string) (postgres.Binaries, error) {
	return postgres.Binaries{}, &postgres.MissingError{Looked: "anywhere"}
}

// Where there is no data plane, the fake says why at the start, and again to
// whoever asks for SQL.
func TestWithoutDataPlane(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ args, want []string }{
		{[]string{"--data-plane=off"}, []string{"--data-plane=off"}},
		{nil, []string{"not found anywhere", "install", "--postgres-bin"}},
	} {
		s, err := parse(row.args, os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		engines, err := startEngines(t.Context(), s, missing, nil)
		if err != nil || engines.plane != nil {
			t.Fatalf("%v gave %v, %v", row.args, engines.plane, err)
		}
		_, err = engines.querier.Query(t.Context(), fakeservice.Query{})
		for _, want := range row.want {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(engines.text, want) {
				t.Errorf("%v: the answer is %v and the text %q; %q is wanted", row.args, err, engines.text, want)
			}
		}
	}
}

// What was asked for and cannot be had is an error.
func TestDataPlaneThatIsMissed(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--data-plane=on"}, {"--postgres-bin=/nowhere"}} {
		s, err := parse(args, os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := startEngines(t.Context(), s, missing, nil); err == nil {
			t.Errorf("%v: the fake does without", args)
		}
	}
}

// However the program is ended, nothing that it started stays. Its folder goes
// too, unless it was given no time for that.
func TestSignalsLeaveNothing(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "fakeservice")
	if said, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	for _, row := range []struct {
		signal      syscall.Signal
		keepsFolder bool
	}{{syscall.SIGTERM, false}, {syscall.SIGINT, false}, {syscall.SIGKILL, true}} {
		t.Run(row.signal.String(), func(t *testing.T) {
			t.Parallel()
			folder := passableFolder(t)
			fake := startProgram(t, program, folder)
			fake.create(t)
			if n := programsIn(t, folder); n == 0 {
				t.Error("nothing runs")
			}
			if row.keepsFolder && runtime.GOOS != "linux" {
				// Other kernels cannot tell them; what is killed there leaves them.
				row.signal, row.keepsFolder = syscall.SIGTERM, false
			}
			if err := fake.command.Process.Signal(row.signal); err != nil {
				t.Fatal(err)
			}
			err := fake.command.Wait()
			if row.keepsFolder {
				// The kernel has told them, and they take a moment.
				deadline := time.Now().Add(time.Minute)
				for programsIn(t, folder) > 0 && time.Now().Before(deadline) {
					time.Sleep(10 * time.Millisecond)
				}
			} else if err != nil {
				t.Errorf("the program ended with %v", err)
			}
			if n := programsIn(t, folder); n != 0 {
				t.Errorf("%d programs still run", n)
			}
			entries, err := os.ReadDir(folder)
			if err != nil || (len(entries) > 0 && !row.keepsFolder) {
				t.Errorf("%v is still there (%v)", entries, err)
			}
		})
	}
}

// passableFolder is a folder that every user can pass through.
func passableFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp(fakeservicetest.FastFolder(), "fs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// programsIn counts programs that have a folder among their arguments, the fake
// itself not counted.
func programsIn(t *testing.T, folder string) int {
	t.Helper()
	listed, err := exec.CommandContext(t.Context(), "ps", "-eo", "args").Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(listed)) {
		if strings.Contains(line, folder) && !strings.Contains(line, "--state-dir") {
			n++
		}
	}
	return n
}

// running is the program, as another process.
type running struct {
	command *exec.Cmd
	base    string
}

func startProgram(t *testing.T, program, folder string) *running {
	t.Helper()
	fake := &running{command: exec.CommandContext(t.Context(), program, "--listen", ":0", "--speed", "1000", "--data-plane", "on", "--state-dir", folder)}
	fake.command.Stderr = os.Stderr
	out, err := fake.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := fake.command.Start(); err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, fake.base, _ = strings.Cut(strings.TrimSpace(first), " at ")
	return fake
}

// create makes an instance with Postgres and waits until it runs.
func (fake *running) create(t *testing.T) {
	t.Helper()
	made := fake.call(t, http.MethodPost, "/instances", `{"name": "box", "plan": "free", "region": "eu-central", "engines": {"postgres": true}}`)
	deadline := time.Now().Add(time.Minute)
	for {
		record := fake.call(t, http.MethodGet, "/instances/"+made["id"].(string), "")
		if record["status"] == fakeservice.StatusRunning {
			return
		}
		if record["status"] != fakeservice.StatusCreating || time.Now().After(deadline) {
			t.Fatalf("the instance is %v", record["status"])
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (fake *running) call(t *testing.T, method, path, body string) map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, fake.base+path, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+fakeservice.DefaultAPIKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s answered %d %v (%v)", method, path, response.StatusCode, answer, err)
	}
	return answer
}
