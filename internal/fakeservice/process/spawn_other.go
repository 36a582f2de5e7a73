//go:build !unix

package process

import "os/exec"

func spawn(command *exec.Cmd) error { return command.Start() }
