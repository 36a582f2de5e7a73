package process

import "fmt"

// Limits are the most that the programs in one sandbox may use together.
type Limits struct {
	// Memory is in bytes. It does not include files that programs execute or map.
	Memory int64
	// Tasks is the number of processes and threads.
	Tasks int
}

// LimitError is the error of a program that was ended because its sandbox exceeded a limit.
type LimitError struct{ limit string }

// Error names the limit.
func (e *LimitError) Error() string { return "it used more than " + e.limit }

// exceeded returns an error if a usage exceeds the limits. The limit 0 means none.
func (l Limits) exceeded(used Limits) *LimitError {
	switch {
	case l.Tasks > 0 && used.Tasks > l.Tasks:
		return &LimitError{fmt.Sprintf("%d processes and threads", l.Tasks)}
	case l.Memory > 0 && used.Memory > l.Memory:
		return &LimitError{fmt.Sprintf("%d MB of memory", l.Memory>>20)}
	}
	return nil
}
