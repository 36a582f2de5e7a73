package core

import "slices"

// recordsKept is how many of what only grows are kept: jobs, events, mails and charges,
// the newest ones. A fake may run for months.
const recordsKept = 8192

// keep adds to what only grows, and lets the oldest go.
func keep[T any](records []T, added T) []T {
	if len(records) >= recordsKept+recordsKept/8 {
		records = slices.Delete(records, 0, len(records)-recordsKept+1)
	}
	return append(records, added)
}
