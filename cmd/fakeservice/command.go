package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// runWord is the first argument that makes the program run a command with the fake.
const runWord = "run"

// exitStatus is the status with which a command has ended, as the error of run.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("the command ended with status %d", int(s)) }

// notIgnored returns the signals that this program's parent has not made it ignore, as
// nohup does with SIGHUP.
func notIgnored(signals []os.Signal) []os.Signal {
	return slices.DeleteFunc(slices.Clone(signals), signal.Ignored)
}

// variablesOf returns the environment of a command. It has the values that the fake
// would otherwise print.
func variablesOf(root string, service *fakeservice.Service) []string {
	return append(os.Environ(),
		"HOSTING_BASE_URL="+root+"/api/v1",
		"HOSTING_API_KEY="+service.APIKey(),
		variable("control-token")+"="+service.ControlToken(),
		variable("portal-password")+"="+service.PortalPassword(),
	)
}

// runCommand runs a command with this program's standard streams, and passes signals on to
// it. If ctx ends, the command is asked to end. It returns nil or the status.
func runCommand(ctx context.Context, words, environment []string) error {
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Env = environment
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, notIgnored(endings)...)
	defer signal.Stop(signals)
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case s := <-signals:
				if !sentToAll(s) {
					_ = command.Process.Signal(s) // it may just have ended
				}
			case <-ended:
				return
			}
		}
	}()
	err := command.Wait()
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitStatus(128 + int(status.Signal()))
	}
	return exitStatus(exit.ExitCode())
}
