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

// fakeProcess is the running fake service.
type fakeProcess struct {
	// origin is its address without a path.
	origin string
	// key is its API key, and token is the token of its control routes.
	key, token string
	// password is the account's password at the portal.
	password string
	// log is the end of its log.
	log     *tail
	command *exec.Cmd
	cancel  context.CancelFunc
	// ended is closed when the process has ended, and result is its result.
	ended  chan struct{}
	result error
}

// startFake starts the fake on a free port and waits until it prints its address.
//
// The end of ctx does not end the fake: when the demo is interrupted, Terraform still needs
// the fake to save its state. The fake ends with stop.
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
		return nil, fmt.Errorf("it ended before it printed its address: %w\n%s", fake.result, fake.log)
	case <-time.After(20 * time.Second):
		return nil, errors.Join(errors.New("it did not say its address within 20 seconds"), fake.stop())
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), fake.stop())
	}
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// findOrigin reports the first address in the fake's output. The rest is a greeting for
// people, which the demo replaces. It must be read anyway, because the fake would block
// otherwise.
func findOrigin(from io.Reader, origin chan<- string) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if match := address.FindString(lines.Text()); match != "" {
			origin <- match
			break
		}
	}
	_, _ = io.Copy(io.Discard, from) // It ends with the fake, whose end is checked elsewhere.
}

// baseURL returns the address of the REST API.
func (f *fakeProcess) baseURL() string { return f.origin + "/api/v1" }

// stop interrupts the fake and waits for its end. It may be called again.
func (f *fakeProcess) stop() error {
	f.cancel()
	<-f.ended
	// The demo itself sends the interrupt, so an end by it is not a failure.
	if f.result == nil || errors.Is(f.result, context.Canceled) {
		return nil
	}
	return fmt.Errorf("the fake service ended badly: %w\nThe end of its log:\n%s", f.result, f.log)
}
