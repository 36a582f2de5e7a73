//go:build !unix

package main

import "os"

// peak returns 0, because this system does not report the memory of a process.
func peak(*os.ProcessState) float64 { return 0 }
