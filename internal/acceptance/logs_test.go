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
