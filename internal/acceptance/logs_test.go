package acceptance

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// The CLI reads each line that the provider's program writes, and discards it unless logs
// are on. So the program writes log lines only then.
func TestLogLinesAreWrittenWhereSomebodyAsksForThem(t *testing.T) {
	for _, test := range []struct {
		name   string
		asking string // an environment variable
		want   bool
	}{
		{"nobody asks", "", false},
		{"a place alone", "TF_LOG_PATH=/dev/null", false},
		{"all logs", "TF_LOG=TRACE", true},
		{"the provider's", "TF_LOG_PROVIDER=TRACE", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			written := logsOfOneCall(t, test.asking)
			if got := strings.Contains(written, "Received request"); got != test.want {
				t.Errorf("the log of a call: got %t, want %t:\n%s", got, test.want, written)
			}
		})
	}
}

// logsOfOneCall starts the provider's program as a CLI does, calls it once, and returns
// its standard error.
func logsOfOneCall(t *testing.T, asking string) string {
	t.Helper()
	var written strings.Builder
	program := exec.CommandContext(t.Context(), filepath.Join(providerFolder(t), "terraform-provider-hosting"))
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_LOG") {
			program.Env = append(program.Env, variable)
		}
	}
	program.Env = append(program.Env, "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2", "PLUGIN_PROTOCOL_VERSIONS=6")
	if asking != "" {
		program.Env = append(program.Env, asking)
	}
	program.Stderr = &written
	stdout, err := program.StdoutPipe()
	must(t, err == nil, "%v", err)
	must(t, program.Start() == nil, "the program does not start")
	line, err := bufio.NewReader(stdout).ReadString('\n')
	parts := strings.Split(strings.TrimSpace(line), "|") // core version, protocol, network, address, kind
	must(t, err == nil && len(parts) >= 5, "the program's line: got %q (%v), want five parts at least", line, err)

	connection, err := grpc.NewClient(parts[2]+":"+parts[3], grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err == nil, "%v", err)
	err = connection.Invoke(t.Context(), "/tfplugin6.Provider/GetMetadata", &emptypb.Empty{}, &emptypb.Empty{})
	must(t, err == nil, "%v", err)
	must(t, connection.Close() == nil, "the connection does not close")
	must(t, program.Process.Kill() == nil, "the program does not end")
	_ = program.Wait() // it was killed
	return written.String()
}

// At level INFO, the log shows the progress of jobs and builds, and no requests.
func TestProgressIsLogged(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, instanceHCL(plainInstance))
	path := filepath.Join(w.folder, "provider.log")
	w.env = append(w.env, "TF_LOG_PROVIDER=INFO", "TF_LOG_PATH="+path)
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the job is polled", func() bool {
		jobs := fake.Jobs()
		return len(jobs) > 0 && fake.Count("GET", "/jobs/"+jobs[0].ID) > 0 || !apply.runs()
	})
	apply.mustRun()
	release()
	if r := apply.wait(); r.exit != 0 {
		t.Fatalf("the apply: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	log, err := os.ReadFile(path)
	must(t, err == nil, "%v", err)
	for _, said := range []string{"waiting for a job", "operation=create", "status=done", "progress=100", "job_id=job-"} {
		if !strings.Contains(string(log), said) {
			t.Errorf("the log: got\n%s\nwant %q in it", log, said)
		}
	}
	if strings.Contains(string(log), "request answered") {
		t.Errorf("the log: got\n%s\nwant no requests in it", log)
	}
}
