package appruntime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// farewell is how long an app may take to end when it is asked to.
const farewell = 10 * time.Second

// launch says how a process begins.
type launch struct {
	command     []string
	work        string
	environment []string
	output      io.Writer
	// view is what the process sees of the file system; nil is everything.
	view *view
	// user is the number of the user and group that it runs as; 0 is this
	// program's own.
	user int
}

// process is a running app.
type process struct {
	pid int
	// ended is closed when it is gone, with everything that it started. result
	// says how it went and is set before.
	ended  chan struct{}
	result error
}

// start begins a process and returns once it runs or could not begin.
func (l launch) start() (*process, error) {
	p := &process{ended: make(chan struct{})}
	begun := make(chan error)
	go onOwnThread(func() bool {
		// No context: an app is asked to end before it is made to.
		command := exec.CommandContext(context.Background(), l.command[0], l.command[1:]...)
		command.Dir, command.Env = l.work, l.environment
		command.Stdout, command.Stderr = l.output, l.output
		// What a child of the app holds open is not waited for any longer.
		command.WaitDelay = time.Second
		ownGroup(command)
		dieWithParent(command)
		runAs(command, l.user)
		err := l.view.enter(command)
		if err == nil {
			err = command.Start()
		}
		if err != nil {
			l.view.leave()
			begun <- fmt.Errorf("start %s: %w", l.command[0], err)
			return l.view != nil
		}
		p.pid = command.Process.Pid
		begun <- nil
		p.result = command.Wait()
		// Whatever the app has left behind goes too.
		_ = killGroup(p.pid)
		l.view.leave()
		close(p.ended)
		return l.view != nil
	})
	if err := <-begun; err != nil {
		return nil, err
	}
	return p, nil
}

// runToEnd runs a command, and ends whatever it has left behind.
func runToEnd(command *exec.Cmd) error {
	ownGroup(command)
	dieWithParent(command)
	command.Cancel = func() error { return killGroup(command.Process.Pid) }
	command.WaitDelay = 2 * time.Second
	ended := make(chan error)
	go onOwnThread(func() bool {
		err := command.Run()
		if command.Process != nil {
			_ = killGroup(command.Process.Pid)
		}
		ended <- err
		return false
	})
	return <-ended
}

// stop asks a process to end, and makes it after a while.
func (p *process) stop() {
	_ = interruptGroup(p.pid)
	select {
	case <-p.ended:
		return
	case <-time.After(farewell):
	}
	_ = killGroup(p.pid)
	<-p.ended
}

// how says how a process ended, for its log.
func (p *process) how() string {
	if p.result == nil || errors.Is(p.result, exec.ErrWaitDelay) {
		return "it ended by itself"
	}
	return p.result.Error()
}
