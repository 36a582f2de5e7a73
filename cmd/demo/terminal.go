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
