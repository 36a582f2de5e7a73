package main

import "os"

// isTerminal reports whether a person is at the other end of the file. A
// terminal is a character device, and so is the null device, which stands for
// nobody.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// liveColumns is how wide a terminal is on which a line can be drawn anew, or 0 where
// output only grows.
func liveColumns(file *os.File) int {
	if os.Getenv("TERM") == "dumb" {
		return 0
	}
	return columns(file)
}
