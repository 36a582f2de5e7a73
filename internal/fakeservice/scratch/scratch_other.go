//go:build !unix

package scratch

import "os"

// hold opens the folder where nothing can be locked.
func hold(path string) (*os.File, error) { return os.Open(path) }

func unlock(*os.File) error { return nil }

// endProcessesIn finds nothing where the system does not say where a process
// works.
func endProcessesIn(string) int { return 0 }

// sweep leaves folders where nothing tells whose they are.
func sweep(string, string) {}
