// Package usage is what a process took of the machine, as those who started it are
// told when it ends.
package usage

import (
	"os"
	"time"
)

// Usage is what one process took, and in CPU those that it waited for.
type Usage struct {
	// CPU is the time of all processors, for the process and for the system on its
	// behalf.
	CPU time.Duration `json:"cpu_ns"`
	// Peak is the most memory that was resident at once, in bytes (VmHWM on Linux); 0
	// where the system does not tell.
	Peak int64 `json:"peak_bytes"`
}

// Of is what a process took that has ended and was waited for.
func Of(ended *os.ProcessState) Usage {
	return Usage{CPU: ended.UserTime() + ended.SystemTime(), Peak: peak(ended)}
}

// A Report is what the meter writes about one process of a provider.
type Report struct {
	Provider Usage `json:"provider"`
	// Meter is the meter's own CPU, which nobody else is to pay for.
	Meter time.Duration `json:"meter_ns"`
}
