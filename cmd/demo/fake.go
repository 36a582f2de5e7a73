package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// fakeProcess is the fake service, running.
type fakeProcess struct {
	// origin is its address without a path.
	origin string
	// key is the API key that it takes, and token what its control routes want.
	key, token string
	// password is what the account signs in with at the portal.
	password string
	// log is the end of what it has logged.
	log     *tail
	command *exec.Cmd
	cancel  context.CancelFunc
	// ended is closed when the process is gone, and result says how it went.
	ended  chan struct{}
	result error
}

// startFake starts the fake on a free port and waits until it says which.
//
// Its life does not hang on ctx: when the demo is interrupted, Terraform still
// needs the fake to save what it has. It ends with stop.
func startFake(ctx context.Context, options options, receiver *receiver) (_ *fakeProcess, err error) {
	authority, err := receiver.authority()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(authority)) }() // it is read by then

	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	command := newCommand(life, time.Minute, filepath.Join(options.bin, "fakeservice"),
		"--listen", "127.0.0.1:0", "--log-level", "info", "--speed", strconv.FormatFloat(options.speed, 'g', -1, 64),
		"--data-plane", "on", "--repo", repository+"="+filepath.Join(options.module, "app"),
		"--webhook-loopback", "--webhook-ca", authority)
	fake := &fakeProcess{command: command, cancel: cancel, ended: make(chan struct{}), log: &tail{}, key: rand.Text(), token: rand.Text(), password: rand.Text()}
	command.Env = append(os.Environ(), "FAKESERVICE_API_KEY="+fake.key, "FAKESERVICE_CONTROL_TOKEN="+fake.token, "FAKESERVICE_PORTAL_PASSWORD="+fake.password)
	reader, writer := io.Pipe()
	command.Stdout, command.Stderr = writer, fake.log
	if err := command.Start(); err != nil {
		cancel()
		return nil, err
	}
	go func() {
		fake.result = command.Wait()
		_ = writer.Close() // A pipe's writer closes without error.
		close(fake.ended)
	}()

	origin := make(chan string, 1)
	go findOrigin(reader, origin)
	select {
	case fake.origin = <-origin:
		return fake, nil
	case <-fake.ended:
		return nil, fmt.Errorf("it ended at once: %w\n%s", fake.result, fake.log)
	case <-time.After(20 * time.Second):
		return nil, errors.Join(errors.New("it did not say its address within 20 seconds"), fake.stop())
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), fake.stop())
	}
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// findOrigin reports the first address in what the fake says. The rest is its
// greeting to a person, which the demo's own words replace; it is read all the
// same, as the fake would block otherwise.
func findOrigin(from io.Reader, origin chan<- string) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if match := address.FindString(lines.Text()); match != "" {
			origin <- match
			break
		}
	}
	_, _ = io.Copy(io.Discard, from) // It ends with the fake, whose end is looked at elsewhere.
}

// baseURL is the address of the REST API.
func (f *fakeProcess) baseURL() string { return f.origin + "/api/v1" }

// stop interrupts the fake and waits for its end. It may be called again.
func (f *fakeProcess) stop() error {
	f.cancel()
	<-f.ended
	// The interrupt is the demo's own, so an end by it is no failure.
	if f.result == nil || errors.Is(f.result, context.Canceled) {
		return nil
	}
	return fmt.Errorf("the fake service ended badly: %w\nThe end of its log:\n%s", f.result, f.log)
}
