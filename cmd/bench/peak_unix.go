//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak returns the maximum resident memory of a process that has ended, in MiB.
func peak(ended *os.ProcessState) float64 {
	used, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return float64(used.Maxrss) / (1 << 20) // in bytes there, in KiB elsewhere
	}
	return float64(used.Maxrss) / (1 << 10)
}
