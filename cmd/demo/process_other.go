//go:build !unix

package main

import "os/exec"

// ownGroup does nothing where there are no process groups to keep apart.
func ownGroup(*exec.Cmd) {}
