package guidetest

import (
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A fake is the program, as run by `make fake`, at a free port.
type fake struct {
	root, key, token string
	log              string // a file
}

// speed is the speed of the fake's clock: an instance takes a quarter of a second.
const speed = "2000"

func startFake(t *testing.T, args ...string) *fake {
	t.Helper()
	programs, _ := install(t)
	folder := machine.PassableFolder(t, "")
	f := &fake{key: rand.Text(), token: rand.Text(), log: filepath.Join(t.TempDir(), "fake.log")}
	ready := filepath.Join(folder, "ready")
	log := must.Get(os.Create(f.log))(t)
	defer log.Close()
	// The given arguments come last and take precedence.
	command := exec.Command(filepath.Join(programs, "fakeservice"), append([]string{
		"--listen", "127.0.0.1:0", "--speed", speed, "--data-plane", "off", "--log-level", "debug",
		"--ready-file", ready, "--temp-dir", folder,
	}, args...)...)
	command.Env = append(os.Environ(), "FAKESERVICE_API_KEY="+f.key, "FAKESERVICE_CONTROL_TOKEN="+f.token)
	command.Stdout, command.Stderr = log, log
	must.Do(t, command.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = command.Wait() // the interrupt below may make it an error
	}()
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		<-ended
		if t.Failed() {
			t.Logf("the fake said:\n%s", f.said(t))
		}
	})
	for {
		if address, err := os.ReadFile(ready); err == nil {
			f.root = strings.TrimSuffix(strings.TrimSpace(string(address)), "/api/v1")
			return f
		}
		select {
		case <-ended:
			t.Fatalf("the fake: got its end, want first that it is ready:\n%s", f.said(t))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// said returns the end of the fake's log.
func (f *fake) said(t *testing.T) string {
	t.Helper()
	text := must.Get(os.ReadFile(f.log))(t)
	return string(text[max(0, len(text)-8000):])
}

// variables returns the variables that a reader exports to use the fake.
func (f *fake) variables() []string {
	return []string{"HOSTING_BASE_URL=" + f.root + "/api/v1", "HOSTING_API_KEY=" + f.key}
}

// tell sends a request from a comment of a page, such as `POST /jobs/hold {}`, to the
// fake's control routes.
func (f *fake) tell(t *testing.T, said string) {
	t.Helper()
	method, rest, _ := strings.Cut(said, " ")
	path, body, _ := strings.Cut(rest, " ")
	request := must.Get(http.NewRequestWithContext(t.Context(), method, f.root+"/_fake"+path, strings.NewReader(body)))(t)
	request.Header.Set("Authorization", "Bearer "+f.token)
	response, err := http.DefaultClient.Do(request)
	must.Do(t, err)
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		answer, _ := io.ReadAll(response.Body)
		t.Fatalf("%s: got %s, want a success: %s", said, response.Status, answer)
	}
}
