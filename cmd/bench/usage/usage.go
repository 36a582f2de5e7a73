// Package usage reads the resources that a process used, which the system reports to the
// parent process at its end.
package usage

import (
	"os"
	"time"
)

// Usage is the cost of one process. Its CPU time includes the processes that it waited for.
type Usage struct {
	// CPU is the time of all processors, for the process and for the system on its behalf.
	CPU time.Duration `json:"cpu_ns"`
	// Peak is the maximum resident memory in bytes (VmHWM on Linux), or 0 if the system
	// does not report it.
	Peak int64 `json:"peak_bytes"`
}

// Of returns the cost of a process that has ended and was waited for.
func Of(ended *os.ProcessState) Usage {
	return Usage{CPU: ended.UserTime() + ended.SystemTime(), Peak: peak(ended)}
}

// A Report is the file that the meter writes about one process of a provider.
type Report struct {
	Provider Usage `json:"provider"`
	// Meter is the meter's own CPU time, which must not be counted for another program.
	Meter time.Duration `json:"meter_ns"`
}
