//go:build unix

package usage

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

func peak(ended *os.ProcessState) int64 {
	used, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return used.Maxrss // in bytes there, in KiB elsewhere
	}
	return used.Maxrss << 10
}

// Own returns the CPU time of this process so far, without its children.
func Own() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
