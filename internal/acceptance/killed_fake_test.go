package acceptance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
)

var (
	killLives = flag.Int("kill.lives", 1, "lives of the guestbook in which the fake is killed")
	killTimes = flag.Int("kill.times", 5, "how often it is killed in each")
	killSeed  = flag.Uint64("kill.seed", 1, "the chance by which it is killed")
)

// With --state, a fake that is killed during any request loses nothing that it has
// answered. Each apply of the guestbook completes, completed changes stay, and rows,
// files and accounts are still there.
func TestFakeIsKilled(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	needsCLI(t)
	for life := range *killLives {
		t.Run(fmt.Sprintf("life %d", life+1), func(t *testing.T) {
			t.Parallel()
			liveThroughKills(t, *killSeed+uint64(life), *killTimes)
		})
	}
}

func liveThroughKills(t *testing.T, seed uint64, times int) {
	f := newMortalFake(t, seed, times)
	w := newGuestbookBeside(t, &fakeservicetest.Server{BaseURL: f.front.URL + "/api/v1"})
	w.write("test.auto.tfvars", strings.Replace(guestbookVariables, "https://hooks.example/guestbook", f.receiver.URL, 1)+"deletion_protection = false\n")
	// If a creation never arrived, the provider searches for it until the create timeout.
	w.write("kills_override.tf", "resource \"hosting_instance\" \"this\" {\n  timeouts = { create = \"2m\" }\n}\n")
	applies := complete(w, "apply", "-auto-approve", "-no-color")
	w.mustBeSettled()

	var all struct {
		Instances []struct {
			ID   string `json:"id"`
			Apps []struct {
				URL    string `json:"url"`
				Status string `json:"status"`
			} `json:"apps"`
		} `json:"instances"`
	}
	f.ask(http.MethodGet, "/_fake/state", "", &all)
	if len(all.Instances) != 1 || len(all.Instances[0].Apps) != 1 {
		t.Fatalf("the account after the apply: got %+v, want one instance with one app", all)
	}
	id := all.Instances[0].ID
	f.healthy(all.Instances[0].Apps[0].URL)

	// Rows that were answered are there after each further kill.
	console := "/api/v1/instances/" + id + "/sql-console"
	f.job(http.MethodPut, console, `{"mode":"rw"}`)
	query := "/api/v1/instances/" + id + "/engines/postgres/query"
	f.ask(http.MethodPost, query, `{"sql":"CREATE TABLE IF NOT EXISTS kills (n int)"}`, nil)
	for n := 1; f.left() > 0 || n == 1; n++ {
		f.ask(http.MethodPost, query, fmt.Sprintf(`{"sql":"INSERT INTO kills VALUES (%d)"}`, n), nil)
		var counted struct {
			Rows [][]any `json:"rows"`
		}
		f.ask(http.MethodPost, query, `{"sql":"SELECT count(DISTINCT n) FROM kills"}`, &counted)
		if have := fmt.Sprint(counted.Rows[0][0]); have != fmt.Sprint(n) {
			t.Fatalf("rows of the script: got %s, want %d", have, n)
		}
	}
	f.healthy(all.Instances[0].Apps[0].URL)
	f.job(http.MethodPut, console, `{"mode":"off"}`)
	f.nothingIsLost()
	f.everythingIsHeard()

	complete(w, "destroy", "-auto-approve", "-no-color")
	var left struct {
		Total int            `json:"total"`
		Left  map[string]int `json:"left"`
	}
	f.ask(http.MethodGet, "/_fake/left", "", &left)
	if left.Total != 0 {
		t.Errorf("the account after the destroy: got %v, want nothing left", left.Left)
	}
	if f.creations > 1 {
		t.Errorf("instances that were made: got %d, want 1 at most", f.creations)
	}
	t.Logf("%d kills, %d runs of apply: %s", times-f.left(), applies, strings.Join(f.deaths, ", "))
}

// A death is the moment of a request at which the fake is killed.
type death int

const (
	lives       death = iota
	dies              // before the request arrives
	diesAtWork        // while the program works on it
	diesUnheard       // after the response, which the client does not receive
	diesAfter         // after the response, which the client receives
	deaths
)

func (d death) String() string {
	return [...]string{"", "before", "at work", "unheard", "after"}[d]
}

// A mortalFake is the fake's program with a folder for --state. A proxy in front of it
// kills it at some of the requests and starts it again.
type mortalFake struct {
	t       *testing.T
	program string
	args    []string
	front   *httptest.Server

	// life is locked from a kill of the program until it answers again.
	life    sync.RWMutex
	command *exec.Cmd
	inside  string // address of the program

	mu       sync.Mutex
	drawn    *rand.Rand
	requests int
	next     int // number of the request at which the program is killed next
	times    int // number of kills that remain
	deaths   []string
	// jobs are the jobs that the program accepted, with the last status that a client
	// received.
	jobs map[string]string
	// creations is the number of instances that the program agreed to create.
	creations int

	// receiver receives the events, and heard has the id of each event's delivery.
	receiver *httptest.Server
	heard    sync.Map
}

func newMortalFake(t *testing.T, seed uint64, times int) *mortalFake {
	t.Helper()
	folder := machine.PassableFolder(t, fakeservicetest.FastFolder())
	guestbook, err := filepath.Abs("../../examples/guestbook/app")
	if err != nil {
		t.Fatal(err)
	}
	f := &mortalFake{
		t: t, program: filepath.Join(t.TempDir(), "fakeservice"), times: times,
		args: []string{
			"--listen", "127.0.0.1:0", "--state", filepath.Join(folder, "state"), "--speed", "200", "--log-level", "error",
			"--api-key", fakeservicetest.APIKey, "--control-token", fakeservicetest.APIKey, "--data-plane", "on",
			"--repo", "octo/guestbook=" + guestbook,
		},
		drawn: rand.New(rand.NewPCG(seed, 0)), jobs: map[string]string{},
	}
	f.receiver = httptest.NewTLSServer(http.HandlerFunc(f.receive))
	t.Cleanup(f.receiver.Close)
	ca := filepath.Join(t.TempDir(), "receiver.pem")
	err = os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.receiver.Certificate().Raw}), 0o600)
	must(t, err == nil, "%v", err)
	f.args = append(f.args, "--webhook-loopback", "--webhook-ca", ca)
	if said, err := exec.CommandContext(t.Context(), "go", "build", "-o", f.program, "../../cmd/fakeservice").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	if err := f.start(); err != nil {
		t.Fatal(err)
	}
	f.plan()
	f.front = httptest.NewServer(http.HandlerFunc(f.pass))
	reading, stopReading := context.WithCancel(t.Context())
	read := make(chan int)
	go func() { read <- f.compareReads(reading) }()
	t.Cleanup(func() {
		stopReading()
		t.Logf("%d reads beside the apply were compared", <-read)
		f.front.Close()
		_ = f.command.Process.Signal(syscall.SIGTERM) // if it has ended already, Wait returns the reason
		if err := f.command.Wait(); err != nil {
			t.Errorf("the end of the fake: got %s, want no error", err)
		}
	})
	return f
}

// start starts the program and returns once it answers.
func (f *mortalFake) start() error {
	f.command = exec.Command(f.program, f.args...)
	f.command.Stderr = os.Stderr
	out, err := f.command.StdoutPipe()
	if err == nil {
		err = f.command.Start()
	}
	if err != nil {
		return err
	}
	reader := bufio.NewReader(out)
	first, err := reader.ReadString('\n')
	if err != nil {
		return fmt.Errorf("the fake does not start: %w", err)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }() // ends with the program
	_, base, _ := strings.Cut(strings.TrimSpace(first), " at ")
	f.inside = strings.TrimSuffix(base, "/api/v1")
	return nil
}

// kill kills the program and starts it again.
func (f *mortalFake) kill() {
	f.life.Lock()
	defer f.life.Unlock()
	_ = f.command.Process.Kill()
	_ = f.command.Wait() // it was killed
	if err := f.start(); err != nil {
		f.t.Error(err)
	}
}

// receive is the receiver of the events. A retry must have the same delivery id as
// before.
func (f *mortalFake) receive(_ http.ResponseWriter, r *http.Request) {
	var event struct{ ID string }
	if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
		return // the program was killed while sending
	}
	id := r.Header.Get("X-Service-Delivery")
	if known, again := f.heard.LoadOrStore(event.ID, id); again && known != id {
		f.t.Errorf("the event %s: got delivery ids %s and %v, want one", event.ID, id, known)
	}
}

// everythingIsHeard waits until each event since the creation of the endpoint is
// delivered.
func (f *mortalFake) everythingIsHeard() {
	f.t.Helper()
	var endpoints struct {
		Webhooks []struct {
			CreatedAt time.Time `json:"created_at"`
		} `json:"webhooks"`
	}
	f.ask(http.MethodGet, "/api/v1/webhooks", "", &endpoints)
	if len(endpoints.Webhooks) != 1 {
		f.t.Fatalf("the webhook endpoints: got %+v, want one", endpoints)
	}
	var told struct {
		Events []struct {
			ID string    `json:"id"`
			At time.Time `json:"at"`
		} `json:"events"`
	}
	f.ask(http.MethodGet, "/_fake/events", "", &told)
	for _, e := range told.Events {
		if e.At.After(endpoints.Webhooks[0].CreatedAt) {
			machine.Until(f.t, "the event "+e.ID+" is heard", func() bool { _, came := f.heard.Load(e.ID); return came })
		}
	}
}

// compareReads reads at the same time as all other requests. It checks that events and
// results of jobs, once shown, are shown again, even if the program was killed in
// between. It returns the number of responses that it has compared.
func (f *mortalFake) compareReads(ctx context.Context) (reads int) {
	shown := map[string]map[string]string{}
	next := time.NewTicker(20 * time.Millisecond) // leaves the processors to the apply
	defer next.Stop()
	for {
		for path, found := range map[string]func([]byte) map[string]string{
			"/_fake/events": eventsThatAreOut, "/_fake/jobs": jobsThatAreOver,
		} {
			select {
			case <-next.C:
			case <-ctx.Done():
				return reads
			}
			request := httptest.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody)
			request.Header.Set("Authorization", "Bearer "+fakeservicetest.APIKey)
			status, _, text, err := f.forward(request, nil)
			if err != nil || status != http.StatusOK {
				continue // the program is being restarted
			}
			now := found(text)
			for id, was := range shown[path] {
				if now[id] != was {
					f.t.Errorf("GET %s: got %s as %q, want %q as before", path, id, now[id], was)
				}
			}
			shown[path] = now
			reads++
		}
	}
}

// eventsThatAreOut returns the type of each event, by id.
func eventsThatAreOut(answer []byte) map[string]string {
	var all struct{ Events []struct{ ID, Type string } }
	out := map[string]string{}
	if json.Unmarshal(answer, &all) == nil {
		for _, e := range all.Events {
			out[e.ID] = e.Type
		}
	}
	return out
}

// jobsThatAreOver returns the status of each job that has ended, by id.
func jobsThatAreOver(answer []byte) map[string]string {
	var all struct{ Jobs []struct{ ID, Status string } }
	over := map[string]string{}
	if json.Unmarshal(answer, &all) == nil {
		for _, j := range all.Jobs {
			if j.Status == "done" || j.Status == "failed" {
				over[j.ID] = j.Status
			}
		}
	}
	return over
}

// plan draws the request at which the program is killed next.
func (f *mortalFake) plan() { f.next = f.requests + 2 + f.drawn.IntN(14) }

// left returns the number of kills that remain.
func (f *mortalFake) left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.times
}

// arrive decides whether and when a request kills the program.
func (f *mortalFake) arrive(r *http.Request) death {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.requests++; f.times == 0 || f.requests < f.next {
		return lives
	}
	f.times--
	f.plan()
	how := dies + death(f.drawn.IntN(int(deaths-dies)))
	f.deaths = append(f.deaths, fmt.Sprintf("%s at %s %s", how, r.Method, r.URL.Path))
	return how
}

// pass forwards a request, unless it kills the program first. A request that arrives
// during a restart waits.
func (f *mortalFake) pass(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	how := f.arrive(r)
	var killing sync.WaitGroup
	switch how {
	case dies:
		f.kill()
		panic(http.ErrAbortHandler) // the connection closes
	case diesAtWork:
		killing.Go(f.kill)
	}
	status, header, text, err := f.forward(r, body)
	killing.Wait()
	if how == diesUnheard || how == diesAfter {
		f.kill()
	}
	if err != nil || how == diesUnheard {
		panic(http.ErrAbortHandler)
	}
	f.hear(r, status, text)
	for name, values := range header {
		w.Header()[name] = values
	}
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the client has gone
}

// forward sends a request to the program and returns the response.
func (f *mortalFake) forward(r *http.Request, body []byte) (int, http.Header, []byte, error) {
	f.life.RLock()
	inside := f.inside
	f.life.RUnlock()
	request, err := http.NewRequestWithContext(r.Context(), r.Method, inside+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	request.Header = r.Header.Clone()
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, text, err
}

// hear records the job of a response. A job that was reported as ended must keep its
// status.
func (f *mortalFake) hear(r *http.Request, status int, text []byte) {
	if status/100 != 2 {
		return
	}
	var answer struct {
		Status string `json:"status"`
		JobID  string `json:"job_id"`
	}
	_ = json.Unmarshal(text, &answer) // a body that is not an object has neither
	f.mu.Lock()
	defer f.mu.Unlock()
	id, isJob := strings.CutPrefix(r.URL.Path, "/api/v1/jobs/")
	switch {
	case isJob:
		if before := f.jobs[id]; (before == "done" || before == "failed") && answer.Status != before {
			f.t.Errorf("the job %s: got %s, want it still %s", id, answer.Status, before)
		}
		f.jobs[id] = answer.Status
	case r.Method != http.MethodGet && answer.JobID != "":
		f.jobs[answer.JobID] = "queued"
		if r.URL.Path == "/api/v1/instances" {
			f.creations++
		}
	}
}

// complete runs a command until it succeeds, at most three times, and returns the number
// of runs. A run may end with an error because a kill made an outcome unknown, such as
// whether a statement ran.
func complete(w *workspace, args ...string) int {
	w.t.Helper()
	for n := 1; ; n++ {
		r := w.run(args...)
		if r.exit == 0 {
			return n
		}
		w.t.Logf("run %d of %s ended with exit %d:\n%s", n, args[0], r.exit, r.output)
		if n == 3 {
			w.t.Fatalf("%s: got three failures, want it to complete", args[0])
		}
		// A kill during the statement leaves its outcome unknown. It can run twice, so
		// this follows the message's advice.
		if strings.Contains(r.output, "It is unknown whether the script ran") {
			if forgotten := w.run("state", "rm", "hosting_postgres_script.table[0]"); forgotten.exit != 0 {
				w.t.Fatalf("state rm: got exit %d, want 0:\n%s", forgotten.exit, forgotten.output)
			}
		}
	}
}

// ask sends a request until it is answered, and decodes the response. The requested
// change may be made twice.
func (f *mortalFake) ask(method, path, body string, into any) (status int) {
	f.t.Helper()
	var text []byte
	var err error
	answered := func() string { return fmt.Sprintf("%s %s answered %d %s (%v)", method, path, status, text, err) }
	machine.Until(f.t, "an answer", func() bool {
		status, text, err = f.try(method, path, body)
		if err == nil && status/100 != 2 && status != http.StatusConflict && status != http.StatusServiceUnavailable {
			f.t.Fatal(answered())
		}
		return err == nil && status != http.StatusServiceUnavailable
	}, answered)
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			f.t.Fatalf("%s %s answered %s: %s", method, path, text, err)
		}
	}
	return status
}

func (f *mortalFake) try(method, path, body string) (int, []byte, error) {
	request, err := http.NewRequestWithContext(f.t.Context(), method, f.front.URL+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+fakeservicetest.APIKey)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, text, err
}

// job requests a change and waits for its job.
func (f *mortalFake) job(method, path, body string) {
	f.t.Helper()
	var answer struct {
		JobID string `json:"job_id"`
	}
	// A 409 means that an earlier attempt was accepted, but its response was lost. Its
	// job has to end first.
	machine.Until(f.t, method+" "+path+" is taken", func() bool { return f.ask(method, path, body, &answer) != http.StatusConflict })
	machine.Until(f.t, "the job of "+method+" "+path+" is done", func() bool {
		var job struct {
			Status string `json:"status"`
		}
		f.ask(http.MethodGet, "/api/v1/jobs/"+answer.JobID, "", &job)
		if job.Status == "failed" {
			f.t.Fatalf("the job of %s %s: got failed, want another status", method, path)
		}
		return job.Status == "done"
	})
}

// healthy waits until an app answers.
func (f *mortalFake) healthy(address string) {
	f.t.Helper()
	machine.Until(f.t, "the app at "+address+" answers", func() bool {
		response, err := http.Get(address + "/healthz")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// nothingIsLost checks that the program knows each job that it has accepted.
func (f *mortalFake) nothingIsLost() {
	f.t.Helper()
	f.mu.Lock()
	var answered []string
	for id := range f.jobs {
		answered = append(answered, id)
	}
	f.mu.Unlock()
	for _, id := range answered {
		if status, text, err := f.try(http.MethodGet, "/api/v1/jobs/"+id, ""); status != http.StatusOK {
			f.t.Errorf("the job %s, which was answered: got %d %s (%v), want 200", id, status, text, err)
		}
	}
}
