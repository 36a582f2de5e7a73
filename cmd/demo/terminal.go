package main

import "os"

// isTerminal reports whether the file is a terminal. A terminal is a character device, and
// so is the null device, which does not count.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// liveColumns returns the width of a terminal that can redraw a line, or 0 otherwise.
func liveColumns(file *os.File) int {
	if os.Getenv("TERM") == "dumb" {
		return 0
	}
	return columns(file)
}
