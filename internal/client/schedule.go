package client

import "time"

const (
	// FirstPoll is the time from the beginning of a wait to its first poll, and the minimum
	// delay between two polls.
	FirstPoll = 250 * time.Millisecond
	// longestDelay is the maximum delay between two polls of a job that reports its progress.
	longestDelay = 60 * time.Second
	// longestBlindDelay is the maximum delay if nothing shows when the work will end.
	longestBlindDelay = 10 * time.Second
)

// nextPoll returns the time from one poll to the next, without jitter. elapsed is the
// time since the beginning of the wait. progress is the percentage that the poll saw, or 0
// if the service reports none.
//
// The progress shows when the work will end. The delay shrinks towards that end, and is at
// most a quarter of the elapsed time, because the progress may be wrong. Without progress
// the delay is an eighth of the elapsed time.
func nextPoll(elapsed time.Duration, progress int) time.Duration {
	if progress <= 0 || progress >= 100 {
		return min(max(FirstPoll, elapsed/8), longestBlindDelay)
	}
	// A wait that joins a job midway expects the end too early, and only polls more often.
	end := elapsed * 100 / time.Duration(progress)
	delay := max((end-elapsed)/4, end/25)
	return min(max(FirstPoll, min(delay, elapsed/4)), longestDelay)
}
