package process

import (
	"context"
	"encoding/json"
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
	// Input is what it reads; nil is nothing, and it must be nil in a Sandbox.
	// Output is what it writes, errors included.
	Input  io.Reader
	Output io.Writer
	// User must be zero where this program is not root.
	User User
	// Sandbox is what it runs in; nil is no sandbox. In one it is contained.
	Sandbox *Sandbox
	// Mounts is what it sees in a Sandbox beside the system's programs.
	Mounts []Mount
	// Contained is for programs of others. What such a program has started ends
	// with it, and signals are for all of it. Without a Sandbox that does not
	// reach what has left its process group.
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
	sandboxed bool
	command   *exec.Cmd
	ended     chan struct{}
	result    error
}

// Start starts a program and returns once it runs or could not begin.
func Start(s Spec) (*Process, error) {
	words := s.Command
	if s.Sandbox != nil {
		words = s.Sandbox.command(s)
	}
	// No context: who runs it asks it to end before it is made to.
	command := exec.CommandContext(context.Background(), words[0], words[1:]...)
	command.Stdout, command.Stderr = s.Output, s.Output
	command.Env = []string{} // nil would be this program's own
	command.WaitDelay = afterwards
	command.SysProcAttr = attributes(s)
	p := &Process{contained: s.Contained || s.Sandbox != nil, sandboxed: s.Sandbox != nil, command: command, ended: make(chan struct{})}
	if s.Sandbox != nil {
		if err := p.startInside(s); err != nil {
			return nil, fmt.Errorf("start %s in a sandbox: %w", s.Command[0], err)
		}
	} else {
		command.Dir, command.Stdin = s.Folder, s.Input
		command.Env = append(command.Env, s.Environment...)
		if err := spawn(command); err != nil {
			return nil, fmt.Errorf("start %s: %w", s.Command[0], err)
		}
		p.pid = command.Process.Pid
	}
	go p.wait()
	return p, nil
}

// startInside starts bubblewrap, waits until the sandbox is complete, and has the program
// begin there. The sandbox's first process leads the program's group.
func (p *Process) startInside(s Spec) error {
	info, infoEnd, err := os.Pipe()
	if err != nil {
		return err
	}
	defer info.Close()
	ready, readyEnd, err := os.Pipe()
	if err != nil {
		return errors.Join(err, infoEnd.Close())
	}
	defer ready.Close()
	p.command.ExtraFiles = []*os.File{infoEnd, readyEnd} // infoFile and readyFile
	script, err := p.command.StdinPipe()
	if err == nil {
		err = spawn(p.command)
	}
	if err := errors.Join(err, infoEnd.Close(), readyEnd.Close()); err != nil {
		return err
	}
	var about struct {
		PID int `json:"child-pid"`
	}
	if err = json.NewDecoder(info).Decode(&about); err == nil {
		_, err = ready.Read(make([]byte, 1))
	}
	if err != nil {
		return fmt.Errorf("bubblewrap ended before the program began: %w", errors.Join(p.command.Wait(), err))
	}
	p.pid = about.PID
	// Whoever ends the sandbox meanwhile learns of it by the end of the program.
	_, _ = io.WriteString(script, exports(s.Environment))
	_ = script.Close()
	return nil
}

func (p *Process) wait() {
	defer close(p.ended)
	p.result = p.command.Wait()
	if errors.Is(p.result, exec.ErrWaitDelay) {
		p.result = nil // the program itself has ended well
	}
	switch {
	case p.sandboxed:
		awaitEnd(p.pid)
	case p.contained:
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
	exit := (*exec.ExitError)(nil)
	switch {
	case p.result == nil:
		return "it ended by itself"
	case p.sandboxed && errors.As(p.result, &exit) && exit.ExitCode() > 128: // as shells and bubblewrap tell of a signal
		return "signal: " + syscall.Signal(exit.ExitCode()-128).String()
	default:
		return p.result.Error()
	}
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
