package main

import "os"

// liveColumns returns the width of a terminal that can redraw a line, or 0 otherwise.
func liveColumns(file *os.File) int {
	if os.Getenv("TERM") == "dumb" {
		return 0
	}
	return columns(file)
}
