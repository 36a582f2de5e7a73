//go:build unix && !linux

package process

import "os/exec"

func spawn(command *exec.Cmd) error {
	if err := withholdEach(); err != nil {
		return err
	}
	return command.Start()
}
