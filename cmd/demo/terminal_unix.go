//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// columns is how wide a terminal is, or 0 for what is none. Its size may change.
func columns(file *os.File) int {
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	switch {
	case err != nil:
		return 0
	case size.Col == 0:
		return 80 // a terminal that does not know
	}
	return int(size.Col)
}
