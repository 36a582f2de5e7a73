package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// latency is the delay of each request.
const latency = 20 * time.Millisecond

// requestsKept is the length of the fake's log: longer than the requests of any run.
const requestsKept = 30_000

// A fake is the fake service in a separate process, so that its cost is not part of the
// measurement.
type fake struct {
	baseURL    string
	key, token string
	command    *exec.Cmd
	ended      chan struct{}
	result     error
	cancel     context.CancelFunc
}

// startFake starts a fake with a speed of its clock and further arguments. setup is its
// initial content in JSON; nil means empty.
func (b *bench) startFake(speed float64, setup []byte, arguments ...string) (*fake, error) {
	folder, err := os.MkdirTemp(b.folder, "fake-")
	if err != nil {
		return nil, err
	}
	ready := filepath.Join(folder, "ready")
	arguments = append([]string{
		"--listen", "127.0.0.1:0", "--log-level", "error", "--ready-file", ready, "--data-plane", "off",
		"--speed", strconv.FormatFloat(speed, 'g', -1, 64), "--requests-kept", strconv.Itoa(requestsKept),
	}, arguments...)
	if setup != nil {
		file := filepath.Join(folder, "setup.json")
		if err := os.WriteFile(file, setup, 0o600); err != nil {
			return nil, err
		}
		arguments = append(arguments, "--setup", file)
	}
	// When the run is interrupted, a CLI still uses the fake, so the fake ends with stop.
	life, cancel := context.WithCancel(context.WithoutCancel(b.ctx))
	f := &fake{key: rand.Text(), token: rand.Text(), ended: make(chan struct{}), cancel: cancel}
	f.command = exec.CommandContext(life, b.programs.fake, arguments...)
	f.command.Env = append(os.Environ(), "FAKESERVICE_API_KEY="+f.key, "FAKESERVICE_CONTROL_TOKEN="+f.token)
	f.command.Cancel = func() error { return f.command.Process.Signal(os.Interrupt) }
	f.command.WaitDelay = 30 * time.Second
	var said bytes.Buffer
	f.command.Stderr = &said
	if err := f.command.Start(); err != nil {
		cancel()
		return nil, err
	}
	go func() {
		f.result = f.command.Wait()
		close(f.ended)
	}()
	for patience := time.After(2 * time.Minute); ; {
		if text, err := os.ReadFile(ready); err == nil {
			f.baseURL = strings.TrimSpace(string(text))
			return f, nil
		}
		select {
		case <-f.ended:
			return nil, fmt.Errorf("the fake service ended before it was ready: %w: %s", f.result, strings.TrimSpace(said.String()))
		case <-patience:
			return nil, errors.Join(errors.New("the fake service did not answer within two minutes"), f.stop())
		case <-b.ctx.Done():
			return nil, errors.Join(b.ctx.Err(), f.stop())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// stop ends the fake.
func (f *fake) stop() error {
	f.cancel()
	<-f.ended
	if f.result == nil || errors.Is(f.result, context.Canceled) {
		return nil
	}
	return fmt.Errorf("the fake service ended badly: %w", f.result)
}

// environment returns the variables with which a provider finds the fake.
func (f *fake) environment() []string {
	return []string{"HOSTING_BASE_URL=" + f.baseURL, "HOSTING_API_KEY=" + f.key}
}

// control sends a control request and reads its answer; sent may be nil, and so may into.
func (f *fake) control(ctx context.Context, method, path string, sent, into any) error {
	text, err := json.Marshal(sent)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(f.baseURL, "/api/v1")+"/_fake/"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+f.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s /_fake/%s answered %s", method, path, response.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(into)
}

// conditions apply to all requests.
type conditions struct {
	Latency   string     `json:"latency"`
	RateLimit *rateLimit `json:"rate_limit,omitempty"`
}

type rateLimit struct {
	PerSecond float64 `json:"per_second"`
	Burst     int     `json:"burst"`
}

// slow delays each request by the latency and sets a limit of requests; nil removes the
// limit.
func (f *fake) slow(ctx context.Context, limit *rateLimit) error {
	return f.control(ctx, http.MethodPut, "conditions", conditions{latency.String(), limit}, nil)
}

// A request is an entry of the fake's log.
type request struct {
	RealAt time.Time `json:"real_at"`
	Method string    `json:"method"`
	Path   string    `json:"path"`
	Status int       `json:"status"`
}

// requests returns the requests since a time of the machine's clock.
func (f *fake) requests(ctx context.Context, since time.Time) ([]request, error) {
	var answer struct {
		Requests []request `json:"requests"`
	}
	if err := f.control(ctx, http.MethodGet, "requests", nil, &answer); err != nil {
		return nil, err
	}
	return within(answer.Requests, since, requestsKept)
}

// within returns the requests since a time from a log that contains at most the latest kept
// requests. It returns an error if the log has dropped some of them.
func within(log []request, since time.Time, kept int) ([]request, error) {
	for i, r := range log {
		if r.RealAt.Before(since) {
			continue
		}
		if i == 0 && len(log) >= kept {
			return nil, fmt.Errorf("the fake's log keeps %d requests, but the run sent more", kept)
		}
		return log[i:], nil
	}
	return nil, nil
}

// answered returns the number of requests that were answered with a status.
func answered(requests []request, status int) int {
	n := 0
	for _, r := range requests {
		if r.Status == status {
			n++
		}
	}
	return n
}

// span returns the time from the first request to the last.
func span(requests []request) time.Duration {
	if len(requests) == 0 {
		return 0
	}
	first, last := requests[0].RealAt, requests[0].RealAt
	for _, r := range requests {
		if r.RealAt.Before(first) {
			first = r.RealAt
		}
		if r.RealAt.After(last) {
			last = r.RealAt
		}
	}
	return last.Sub(first)
}
