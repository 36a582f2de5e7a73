package examples

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/webhooks"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
	"github.com/instance-hosting/terraform-provider-hosting/internal/signed"
)

// receivers are the programs of the webhook example, which all take WEBHOOK_SECRET and
// print a line when they listen and a line for each event.
var receivers = []struct {
	language string
	start    func(t *testing.T) *exec.Cmd
	url      func(line string) string // from the first line
}{
	{"Go", goReceiver, func(line string) string {
		_, url, _ := strings.Cut(line, " at ")
		return url
	}},
	{"Node", scriptReceiver("node", "receiver.mjs"), urlOfPort},
	{"Python", scriptReceiver("python3", "receiver.py"), urlOfPort},
}

func goReceiver(t *testing.T) *exec.Cmd {
	t.Helper()
	receiver := filepath.Join(t.TempDir(), "webhook-receiver")
	buildReceiver(t, receiver)
	return exec.CommandContext(t.Context(), receiver, "--listen", "127.0.0.1:0")
}

func scriptReceiver(interpreter, script string) func(t *testing.T) *exec.Cmd {
	return func(t *testing.T) *exec.Cmd {
		t.Helper()
		if _, err := exec.LookPath(interpreter); err != nil {
			machine.Lacks(t, "%s is not installed: tools/engines.sh installs it", interpreter)
		}
		command := exec.CommandContext(t.Context(), interpreter, filepath.Join(folder, "webhook-receiver", script))
		command.Env = append(os.Environ(), "PORT=0")
		return command
	}
}

func urlOfPort(line string) string {
	port, _ := strings.CutPrefix(line, "listening on port ")
	return "http://127.0.0.1:" + port + "/hooks"
}

// TestReceivers delivers events of the fake to the receiver in each language. It prints a
// signed event once, however often it arrives, and refuses every other request.
func TestReceivers(t *testing.T) {
	t.Parallel()
	for _, r := range receivers {
		t.Run(r.language, func(t *testing.T) {
			t.Parallel()
			const secret = "the secret of an example"
			next := printed(t, r.start(t), secret)
			url := r.url(next())
			fake := fakeservicetest.Start(t, func(o *fakeservice.Options) {
				o.Courier = webhooks.New(webhooks.Options{Loopback: true})
			})
			endpoint := fake.AddWebhook(fakeservice.Webhook{URL: url, Secret: secret, Enabled: true})
			// answered returns the status that the newest delivery was answered with.
			answered := func(kind string) (status int) {
				t.Helper()
				machine.Until(t, "an answer to "+kind, func() bool {
					list := must.Get(fake.Deliveries(endpoint.ID))(t)
					if len(list) == 0 || list[0].Type != kind || len(list[0].Attempts) == 0 {
						return false
					}
					status = list[0].Attempts[0].Status
					return true
				})
				return status
			}

			fake.Emit("health_alert", "i-shop", map[string]any{"healthy": false})
			if got, want := answered("health_alert"), http.StatusNoContent; got != want {
				t.Errorf("the answer to a signed delivery: got %d, want %d", got, want)
			}
			if got, want := strings.ReplaceAll(next(), " ", ""), `health_alertofi-shop:{"healthy":false}`; !strings.HasSuffix(got, want) {
				t.Errorf("the line of an event: got %s, want the end %s", got, want)
			}

			fake.EditWebhook(endpoint.ID, func(w *fakeservice.Webhook) { w.Secret = "another secret" })
			fake.Emit("health_reset", "i-shop", nil)
			if got, want := answered("health_reset"), http.StatusUnauthorized; got != want {
				t.Errorf("the answer to a forged signature: got %d, want %d", got, want)
			}

			list := must.Get(fake.Deliveries(endpoint.ID))(t)
			first := list[len(list)-1]
			signature := signed.Sign(first.Event, secret)
			for _, request := range []struct {
				what, body, signature string
				want                  int
			}{
				{"a delivery that was handled", string(first.Event), signature, http.StatusNoContent},
				{"a changed body", strings.Replace(string(first.Event), "false", "true", 1), signature, http.StatusUnauthorized},
				{"no signature", string(first.Event), "", http.StatusUnauthorized},
				{"a signature without its prefix", string(first.Event), strings.TrimPrefix(signature, "sha256="), http.StatusUnauthorized},
			} {
				if got := post(t, url, first.ID, first.Type, request.body, request.signature); got != request.want {
					t.Errorf("the answer to %s: got %d, want %d", request.what, got, request.want)
				}
			}

			// Only signed and new events are printed, so the next line belongs to the next event.
			fake.EditWebhook(endpoint.ID, func(w *fakeservice.Webhook) { w.Secret = secret })
			fake.Emit("api_key_created", "", map[string]any{"name": "ci"})
			line := next()
			for strings.HasPrefix(line, "refused: ") {
				line = next()
			}
			if want := ` api_key_created of the account: {`; !strings.Contains(line, want) {
				t.Errorf("the line after refused requests: got %s, want %s in it", line, want)
			}
		})
	}
}

// TestReceiversWantASecret starts each receiver without a secret, and expects an error: an
// empty secret would let any client sign.
func TestReceiversWantASecret(t *testing.T) {
	t.Parallel()
	for _, r := range receivers {
		t.Run(r.language, func(t *testing.T) {
			t.Parallel()
			command := r.start(t)
			command.Env = append(command.Environ(), "WEBHOOK_SECRET=")
			said, err := command.CombinedOutput()
			if err == nil || !strings.Contains(string(said), "WEBHOOK_SECRET is empty") {
				t.Errorf("without a secret: got %v and the output %q, want an error that names WEBHOOK_SECRET", err, said)
			}
		})
	}
}

// printed starts a receiver, and returns a function that returns its next line.
func printed(t *testing.T, command *exec.Cmd, secret string) (next func() string) {
	t.Helper()
	command.Env = append(command.Environ(), "WEBHOOK_SECRET="+secret)
	command.Stderr = os.Stderr
	out := must.Get(command.StdoutPipe())(t)
	must.Do(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // it was killed
	})
	lines := bufio.NewScanner(out)
	return func() string {
		t.Helper()
		if !lines.Scan() {
			t.Fatalf("the receiver: got no further line (%v), want one", lines.Err())
		}
		return lines.Text()
	}
}

// post sends a receiver a request like a delivery, and returns the status of the answer.
func post(t *testing.T, url, id, kind, body, signature string) int {
	t.Helper()
	request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader([]byte(body))))(t)
	request.Header.Set("X-Service-Delivery", id)
	request.Header.Set("X-Service-Event", kind)
	if signature != "" {
		request.Header.Set("X-Service-Signature", signature)
	}
	response, err := http.DefaultClient.Do(request)
	must.Do(t, err)
	defer response.Body.Close()
	return response.StatusCode
}
