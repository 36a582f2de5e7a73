package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"
)

// User is the user of a program. The zero value is this program's own user.
type User struct{ UID, GID int }

// Spec says how a program runs.
type Spec struct {
	// Command is the program, by its path or by its name on this program's PATH, and its
	// arguments.
	Command []string
	// Folder is the program's working folder, as an absolute path that it sees.
	Folder string
	// Environment is the program's complete environment, as KEY=value.
	Environment []string
	// Input is the program's standard input; nil means empty, and it must be nil in a
	// Sandbox. Output receives its output, errors included.
	Input  io.Reader
	Output io.Writer
	// Files are descriptors that the program inherits, from FirstFile on. The caller closes
	// them.
	Files []*os.File
	// User must be zero if this program is not root.
	User User
	// Sandbox, if non-nil, is the sandbox that the program runs in. The program is then
	// contained.
	Sandbox *Sandbox
	// Mounts are the files and folders that the program sees in a Sandbox in addition to
	// the system's programs.
	Mounts []Mount
	// Contained is for other people's programs. The descendants of such a program end with
	// it, and signals reach all of them. Without a Sandbox, this does not include processes
	// that have left its process group.
	Contained bool
	// Orphaned is the signal that ends the program when this one is killed, if the kernel
	// can do that; 0 means SIGKILL.
	Orphaned syscall.Signal
}

// FirstFile returns the number of the first descriptor of Files in the program.
func (s Spec) FirstFile() int {
	if s.Sandbox != nil {
		return filterFile + 1
	}
	return 3 // after the standard streams
}

// afterwards is the time that other processes may keep a program's output open after its
// end.
const afterwards = time.Second

// Process is a program that runs until it ends or is stopped. It is safe for concurrent
// use.
type Process struct {
	pid       int
	contained bool
	sandboxed bool
	command   *exec.Cmd
	ended     chan struct{}
	result    error
	// exceeded is the reason that the guard has ended the program.
	exceeded atomic.Pointer[LimitError]
}

// Start starts a program. It returns once the program runs or has failed to start.
func Start(s Spec) (*Process, error) {
	words := s.Command
	if s.Sandbox != nil {
		words = s.Sandbox.command(s)
	}
	// Without a context: the caller first asks the program to end, before it kills it.
	command := exec.CommandContext(context.Background(), words[0], words[1:]...)
	command.Stdout, command.Stderr = s.Output, s.Output
	command.Env = []string{} // nil would mean this program's environment
	command.WaitDelay = afterwards
	command.SysProcAttr = attributes(s)
	p := &Process{contained: s.Contained || s.Sandbox != nil, sandboxed: s.Sandbox != nil, command: command, ended: make(chan struct{})}
	if s.Sandbox != nil {
		if err := p.startInside(s); err != nil {
			return nil, fmt.Errorf("start %s in a sandbox: %w", s.Command[0], err)
		}
	} else {
		command.Dir, command.Stdin, command.ExtraFiles = s.Folder, s.Input, s.Files
		command.Env = append(command.Env, s.Environment...)
		if err := spawn(command); err != nil {
			return nil, fmt.Errorf("start %s: %w", s.Command[0], err)
		}
		p.pid = command.Process.Pid
	}
	go p.wait()
	return p, nil
}

// startInside starts bubblewrap, waits until the sandbox is complete, and starts the
// program in it. The sandbox's first process leads the program's group.
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
	filterEnd, filter, err := os.Pipe()
	if err != nil {
		return errors.Join(err, infoEnd.Close(), readyEnd.Close())
	}
	_, err = filter.Write(s.Sandbox.filter) // a pipe takes it at once
	err = errors.Join(err, filter.Close())
	p.command.ExtraFiles = append([]*os.File{infoEnd, readyEnd, filterEnd}, s.Files...) // infoFile, readyFile, filterFile and FirstFile
	script, failed := p.command.StdinPipe()
	if err = errors.Join(err, failed); err == nil {
		err = spawn(p.command)
	}
	if err := errors.Join(err, infoEnd.Close(), readyEnd.Close(), filterEnd.Close()); err != nil {
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
	guarding.watch(p, s.Sandbox.Limits)
	// If the sandbox ends here, the caller learns that from the end of the program.
	_, _ = io.WriteString(script, exports(s.Environment))
	_ = script.Close()
	return nil
}

func (p *Process) wait() {
	defer close(p.ended)
	p.result = p.command.Wait()
	if errors.Is(p.result, exec.ErrWaitDelay) {
		p.result = nil // the program itself succeeded
	}
	if over := p.exceeded.Load(); over != nil {
		p.result = over
	}
	switch {
	case p.sandboxed:
		awaitEnd(p.pid)
	case p.contained:
		_ = signalGroup(p.pid, os.Kill) // most have no processes left
	}
}

// Run runs a program to its end and returns how it ended. The program is ended if ctx ends.
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

// PID returns the id of the process. It leads the process group with the same id.
func (p *Process) PID() int { return p.pid }

// HasEnded reports whether the program has ended.
func (p *Process) HasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Ended returns a channel that is closed when the program has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// How says how the program ended, for a log. It waits for the end.
func (p *Process) How() string {
	<-p.ended
	exit := (*exec.ExitError)(nil)
	switch {
	case p.result == nil:
		return "it ended by itself"
	case p.sandboxed && errors.As(p.result, &exit) && exit.ExitCode() > 128: // how shells and bubblewrap report a signal
		return "signal: " + syscall.Signal(exit.ExitCode()-128).String()
	default:
		return p.result.Error()
	}
}

// Signal sends a signal. It does nothing if the program has ended.
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

// Stop sends one signal after the other, and waits the given time after each, until the
// program has ended. The last signal is always SIGKILL. Stop takes no context, because a
// program that is left running would outlive this one.
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
