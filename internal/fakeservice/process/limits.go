package process

import "fmt"

// Limits apply to all programs in one sandbox together.
type Limits struct {
	// Memory is in bytes. It does not include files that programs execute or map.
	Memory int64
	// Processes is the number of processes.
	Processes int
}

// LimitError is the error of a program that was ended because its sandbox exceeded a limit.
type LimitError struct{ limit string }

// Error names the limit.
func (e *LimitError) Error() string { return "it used more than " + e.limit }

// exceeded returns an error if a usage exceeds the limits.
func (l Limits) exceeded(used Limits) *LimitError {
	switch {
	case used.Processes > l.Processes:
		return &LimitError{fmt.Sprintf("%d processes", l.Processes)}
	case used.Memory > l.Memory:
		return &LimitError{fmt.Sprintf("%d MB of memory", l.Memory>>20)}
	}
	return nil
}
