//go:build unix

package fakeservice_test

import (
	"syscall"
	"time"
)

// processorTime returns the time that this process has used on all processors.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
