package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// refreshes measures the memory that repeated refreshes of the same instances leave in one
// provider process.
func (b *bench) refreshes() (t *table, err error) {
	n, times := 300, 10
	if len(b.sizes) > 0 {
		n = b.sizes[len(b.sizes)-1]
	}
	t = &table{
		Name: "refreshes", Title: fmt.Sprintf("%d refreshes of %d instances alone in one provider process", times, n),
		Columns: []column{{Name: "refresh"}, {"wall s", 2}, {"resident MiB", 1}, {"peak MiB", 1}},
	}
	b.say("refreshes: preparing %d instances.", n)
	p, err := b.prepare(contents["alone"], n, []subject{{name: ours, kind: ofHosting, program: b.programs.provider}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.fake.stop()) }()
	served, err := b.serve(p.fake)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, served.stop()) }()
	w, err := b.newWorkspace("", append(p.fake.environment(), "TF_REATTACH_PROVIDERS="+served.reattach))
	if err != nil {
		return nil, err
	}
	defer w.remove()
	if err := w.configure(p.configuration, &p.subjects[0].prior); err != nil {
		return nil, err
	}
	b.say("refreshes: refreshing.")
	var peaks []float64
	for i := range times {
		took, err := w.run(b.ctx, "plan", "-refresh-only", "-input=false", "-no-color")
		if err != nil {
			return nil, err
		}
		resident, peak, err := memoryOf(served.command.Process.Pid)
		if err != nil {
			t.note("This system does not tell the memory of a process that runs.")
			t.Targets = []target{unmeasured(growthClaim, 5, " MiB")}
			return t, nil
		}
		peaks = append(peaks, mebibytes(peak))
		t.add(i+1, seconds(took.wall), mebibytes(resident), mebibytes(peak))
	}
	t.Targets = []target{atMost(growthClaim, peaks[len(peaks)-1]-peaks[0], 5, " MiB")}
	return t, nil
}

const growthClaim = "what the peak has grown by, from the first refresh to the last"

// memoryOf returns the memory of a running process on Linux in bytes: VmRSS and VmHWM.
func memoryOf(pid int) (resident, peak int64, err error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, 0, err
	}
	return statusMemory(string(text))
}

// statusMemory parses the status file of a process.
func statusMemory(status string) (resident, peak int64, err error) {
	read := func(name string) int64 {
		_, rest, _ := strings.Cut(status, name+":")
		line, _, _ := strings.Cut(rest, "\n")
		var kibibytes int64
		if _, failed := fmt.Sscanf(line, "%d kB", &kibibytes); failed != nil {
			err = fmt.Errorf("%s: %w", name, failed)
		}
		return kibibytes << 10
	}
	resident, peak = read("VmRSS"), read("VmHWM")
	return resident, peak, err
}

// A served provider waits for CLIs to connect.
type served struct {
	command  *exec.Cmd
	reattach string // the value of TF_REATTACH_PROVIDERS
	// over is closed when its output has ended.
	over <-chan struct{}
}

// serve starts the provider for reattachment.
func (b *bench) serve(f *fake) (*served, error) {
	command := exec.CommandContext(context.WithoutCancel(b.ctx), b.programs.provider, "-debug")
	command.Env = append(inherited(os.Environ()), f.environment()...)
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	said, over := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(over)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, value, ok := strings.Cut(lines.Text(), "TF_REATTACH_PROVIDERS="); ok {
				said <- strings.Trim(value, "'")
			}
		}
	}()
	s := &served{command: command, over: over}
	select {
	case value := <-said:
		s.reattach, err = underBothHosts(value)
	case <-over:
		err = errors.New("the provider ended without saying how to reach it")
	case <-time.After(time.Minute):
		err = errors.New("the provider did not say within a minute how to reach it")
	}
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// stop interrupts the provider and waits for its end.
func (s *served) stop() error {
	if err := s.command.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	forced := time.AfterFunc(10*time.Second, func() { _ = s.command.Process.Kill() })
	<-s.over
	forced.Stop()
	err := s.command.Wait()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.Sys().(syscall.WaitStatus).Signaled() {
		return nil // it was asked to end
	}
	return err
}

// underBothHosts lets both Terraform and OpenTofu find a provider.
func underBothHosts(reattach string) (string, error) {
	var providers map[string]json.RawMessage
	if err := json.Unmarshal([]byte(reattach), &providers); err != nil {
		return "", fmt.Errorf("TF_REATTACH_PROVIDERS: %w", err)
	}
	for address, how := range providers {
		_, name, _ := strings.Cut(address, "/")
		for _, host := range []string{"registry.terraform.io/", "registry.opentofu.org/"} {
			providers[host+name] = how
		}
	}
	text, err := json.Marshal(providers)
	return string(text), err
}
