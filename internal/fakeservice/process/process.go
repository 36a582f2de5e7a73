package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// User is whom a program runs as. The zero value is this program's own user.
type User struct{ UID, GID int }

// Spec says how a program runs.
type Spec struct {
	// Command is the program, by its path or by its name on this program's
	// PATH, and its arguments.
	Command []string
	// Folder is where it runs, as an absolute path that it sees.
	Folder string
	// Environment is all that it gets, as KEY=value.
	Environment []string
	// Input is what it reads; nil is nothing. Output is what it writes, errors
	// included.
	Input  io.Reader
	Output io.Writer
	// User must be zero where this program is not root.
	User User
	// View is what it sees of the file system; nil is everything.
	View *View
	// Contained is for programs of others. What such a program has started ends
	// with it, and signals are for all of it. Where CanContain says so, that
	// holds for whatever has left its process group too.
	Contained bool
	// Orphaned ends it when this program is killed, where the kernel can do
	// that; 0 is SIGKILL.
	Orphaned syscall.Signal
}

// afterwards is how long something else may hold a program's output open after
// its end.
const afterwards = time.Second

// Process is a program that runs until it ends or is stopped. It is safe for
// concurrent use.
type Process struct {
	pid       int
	contained bool
	command   *exec.Cmd
	ended     chan struct{}
	result    error
}

// Start starts a program and returns once it runs or could not begin.
func Start(s Spec) (*Process, error) {
	// No context: who runs it asks it to end before it is made to.
	command := exec.CommandContext(context.Background(), s.Command[0], s.Command[1:]...)
	command.Dir, command.Env = s.Folder, s.Environment
	if command.Env == nil {
		command.Env = []string{} // nil would be this program's own
	}
	command.Stdin, command.Stdout, command.Stderr = s.Input, s.Output, s.Output
	command.WaitDelay = afterwards
	command.SysProcAttr = attributes(s)
	if err := spawn(command, s.View); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Command[0], err)
	}
	p := &Process{pid: command.Process.Pid, contained: s.Contained, command: command, ended: make(chan struct{})}
	go p.wait()
	return p, nil
}

func (p *Process) wait() {
	defer close(p.ended)
	p.result = p.command.Wait()
	if errors.Is(p.result, exec.ErrWaitDelay) {
		p.result = nil // the program itself has ended well
	}
	if p.contained {
		_ = signalGroup(p.pid, os.Kill) // most leave nothing behind
	}
}

// Run lets a program do its work and returns how it ended. When ctx ends, the
// program does too.
func Run(ctx context.Context, s Spec) error {
	p, err := Start(s)
	if err != nil {
		return err
	}
	select {
	case <-p.ended:
		return p.result
	case <-ctx.Done():
		p.Signal(os.Kill)
		<-p.ended
		return errors.Join(ctx.Err(), p.result)
	}
}

// PID is the number of the process. It leads a process group of that number.
func (p *Process) PID() int { return p.pid }

// Ended is closed when the program is gone.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// How says how the program ended, for a log. It waits for the end.
func (p *Process) How() string {
	<-p.ended
	if p.result == nil {
		return "it ended by itself"
	}
	return p.result.Error()
}

// Signal sends a signal. A program that has ended takes no notice.
func (p *Process) Signal(s os.Signal) {
	select {
	case <-p.ended:
		return
	default:
	}
	if p.contained {
		_ = signalGroup(p.pid, s) // it may just have ended
		return
	}
	_ = p.command.Process.Signal(s) // it may just have ended
}

// Stop sends one signal after the other, with that much time for each, until the
// program is gone; the last one is always SIGKILL. It takes no context, because
// a program that was left would outlive this one.
func (p *Process) Stop(patience time.Duration, signals ...os.Signal) {
	for _, s := range append(signals, os.Kill) {
		p.Signal(s)
		select {
		case <-p.ended:
			return
		case <-time.After(patience):
		}
	}
	<-p.ended
}
