package postgres

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// linger is how long a program that was told to stop has, before it is told
// again in a way that it cannot refuse.
const linger = 20 * time.Second

// process is a program that runs until it is stopped or dies.
type process struct {
	command *exec.Cmd
	output  tail
	// ended is closed when the program is gone, and its children with it.
	ended chan struct{}
}

// startProcess starts a program as an account. Nothing of the environment
// reaches it but what is given.
func startProcess(who account, folder, program string, args ...string) (*process, error) {
	p := &process{command: exec.Command(program, args...), ended: make(chan struct{})} //nolint:noctx // it outlives every context, and stop ends it
	p.command.Dir = folder
	p.command.Env = []string{"LC_ALL=C", "TZ=UTC"}
	p.command.Stdout, p.command.Stderr = &p.output, &p.output
	// The children of a killed server hold the pipe for a moment.
	p.command.WaitDelay = linger
	runAs(p.command, who)
	started := make(chan error, 1)
	go func() {
		// The kernel takes the end of the thread that started a program for the
		// parent's death, so this thread stays for as long as the program does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread() // it must not end either: others may have started programs on it
		err := p.command.Start()
		started <- err
		if err == nil {
			_ = p.command.Wait() // how it ended is in its output
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return p, nil
}

// alive tells whether the program still runs.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// signal sends a signal. A program that has ended takes no notice.
func (p *process) signal(s os.Signal) {
	if p.alive() {
		_ = p.command.Process.Signal(s) // it may just have ended, which is no matter
	}
}

// stop tells the program to stop and waits until it is gone. It takes no
// context, because a program that was left would outlive the fake.
func (p *process) stop(how os.Signal) {
	for _, s := range []os.Signal{how, stopImmediate, os.Kill} {
		p.signal(s)
		select {
		case <-p.ended:
			return
		case <-time.After(linger):
		}
	}
	<-p.ended
}

// run lets a program do its work and returns what went wrong, with the end of
// what it said.
func run(ctx context.Context, who account, folder, input, program string, args ...string) error {
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = folder
	command.Env = []string{"LC_ALL=C", "TZ=UTC"}
	command.Stdin = strings.NewReader(input)
	var said tail
	command.Stdout, command.Stderr = &said, &said
	command.WaitDelay = linger
	// The program ends before the thread that starts it can.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runAs(command, who)
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, said.String())
	}
	return nil
}

// tailKept is how much of a program's output is kept.
const tailKept = 4 << 10

// tail is the end of what a program said.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(said []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, said...)
	if over := len(t.text) - tailKept; over > 0 {
		t.text = bytes.Clone(t.text[over:])
	}
	return len(said), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
