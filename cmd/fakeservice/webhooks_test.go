package main

import (
	"bufio"
	"context"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
	"github.com/instance-hosting/terraform-provider-hosting/internal/signed"
)

// ledger is a receiver that records for each event its delivery id, the number of
// deliveries, and whether they were signed.
type ledger struct {
	t *testing.T
	// arrived receives each event's type before the answer is sent.
	arrived chan string

	mu    sync.Mutex
	hangs bool
	ids   map[string]string // of deliveries by event
	times map[string]int    // how often each event came
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	d, err := signed.Verify(body, r.Header, "s")
	if err != nil {
		l.t.Errorf("a delivery: got error %s, want none", err)
	}
	l.mu.Lock()
	if known, ok := l.ids[d.Event.ID]; ok && known != d.ID {
		l.t.Errorf("the event %s: got the delivery ids %v and %s, want one", d.Event.ID, known, d.ID)
	}
	l.ids[d.Event.ID] = d.ID
	l.times[d.Event.ID]++
	hangs := l.hangs
	l.mu.Unlock()
	l.arrived <- d.Event.Type
	if hangs {
		<-r.Context().Done() // until the program is killed
	}
}

// startKept runs the program with a folder of --state, and returns it with the base URL.
func startKept(t *testing.T, state, ca string) (*exec.Cmd, string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), builtProgram(t), "--listen", ":0", "--log-level", "warn", "--api-key", "k", "--control-token", "t",
		"--data-plane", "off", "--state", state, "--webhook-loopback", "--webhook-ca", ca)
	command.Stderr = os.Stderr
	out := must.Get(command.StdoutPipe())(t)
	must.Do(t, command.Start())
	first := must.Get(bufio.NewReader(out).ReadString('\n'))(t)
	_, base, _ := strings.Cut(strings.TrimSpace(first), " at ")
	return command, base
}

// ask sends a request and decodes the answer, which must be a success.
func ask(t *testing.T, method, url, credential, body string, into any) {
	t.Helper()
	request := must.Get(http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, url, strings.NewReader(body)))(t)
	request.Header.Set("Authorization", "Bearer "+credential)
	request.Header.Set("Content-Type", "application/json")
	response := must.Get(http.DefaultClient.Do(request))(t)
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		text, _ := io.ReadAll(response.Body)
		t.Fatalf("%s %s: got %d %s, want a success", method, url, response.StatusCode, text)
	}
	must.Do(t, json.NewDecoder(response.Body).Decode(into))
}

// A program that is killed with -9 during deliveries loses no event, and delivers none
// under two ids.
func TestWebhooksOutliveAKill(t *testing.T) {
	t.Parallel()
	l := &ledger{t: t, arrived: make(chan string, 100), hangs: true, ids: map[string]string{}, times: map[string]int{}}
	receiver := httptest.NewTLSServer(l)
	defer receiver.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	must.Do(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: receiver.Certificate().Raw}), 0o600))
	folder := filepath.Join(t.TempDir(), "state")

	first, base := startKept(t, folder, ca)
	var made struct{ ID string }
	ask(t, http.MethodPost, base+"/webhooks", "k", `{"url":"`+receiver.URL+`/hooks","secret":"s"}`, &made)
	var instance struct{ ID string }
	ask(t, http.MethodPost, base+"/instances", "k", `{"name":"shop","plan":"free","region":"eu-central","engines":{"postgres":true}}`, &instance)
	if kind := <-l.arrived; kind != "created" {
		t.Fatalf("the first event: got %s, want created", kind)
	}
	must.Do(t, first.Process.Kill())
	_ = first.Wait() // it was killed
	l.mu.Lock()
	l.hangs = false
	l.mu.Unlock()

	second, base := startKept(t, folder, ca)
	control := strings.TrimSuffix(base, "/api/v1") + "/_fake"
	var now struct{ Now string }
	ask(t, http.MethodPost, control+"/clock/advance", "t", `{"by":"10m"}`, &now)
	var told struct {
		Events []struct{ ID, Type string }
	}
	ask(t, http.MethodGet, control+"/events", "t", "", &told)
	if len(told.Events) != 2 || told.Events[1].Type != "ready" {
		t.Fatalf("the events: got %+v, want two, the second ready", told.Events)
	}
	var deliveries struct {
		Deliveries []struct {
			ID, State string
			EventID   string `json:"event_id"`
		}
	}
	ask(t, http.MethodGet, control+"/webhooks/"+made.ID+"/deliveries", "t", "", &deliveries)
	if len(deliveries.Deliveries) != 2 {
		t.Fatalf("the deliveries: got %+v, want two", deliveries)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range deliveries.Deliveries {
		if d.State != "delivered" || l.ids[d.EventID] != d.ID {
			t.Errorf("the delivery: got %+v, which came as %s, want it delivered under its id", d, l.ids[d.EventID])
		}
	}
	if created, ready := l.times[told.Events[0].ID], l.times[told.Events[1].ID]; len(l.times) != 2 || created != 2 || ready != 1 {
		t.Errorf("arrivals of the events: got %d and %d, want 2 and 1", created, ready)
	}
	must.Do(t, second.Process.Kill())
	_ = second.Wait()
}
