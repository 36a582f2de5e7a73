package client

import "time"

const (
	// FirstPoll is the time from the beginning of a wait to its first poll, and the minimum
	// delay between two polls.
	FirstPoll = 250 * time.Millisecond
	// longestDelay is the maximum delay between two polls.
	longestDelay = 60 * time.Second
)

// NextPoll returns the time from one poll to the next, without jitter. elapsed is the
// time since the beginning of the wait. estimate is the expected duration of the work, or
// 0 if unknown. progress is the percentage that the poll saw, or 0 if the service reports
// none.
//
// The delay shrinks towards the expected end and grows after it. Without an estimate it
// grows. It is at most a quarter of the elapsed time, so that even a very wrong estimate
// costs little.
func NextPoll(elapsed, estimate time.Duration, progress int) time.Duration {
	if progress > 0 && progress < 100 {
		// A wait that joins a job midway expects the end too early, and only polls more often.
		estimate = elapsed * 100 / time.Duration(progress)
	}
	delay := elapsed * 8 / 100
	if estimate > 0 {
		delay = max((estimate-elapsed).Abs()/4, estimate/25)
	}
	return min(max(FirstPoll, min(delay, elapsed/4)), longestDelay)
}
