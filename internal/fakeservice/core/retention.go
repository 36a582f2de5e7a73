package core

import "slices"

// recordsKept is the number of jobs, events, mails, charges and subscriptions that are
// kept, the newest of each. Their number would otherwise grow without limit, and a fake
// may run for months.
const recordsKept = 8192

// surplus returns the number of records to remove from a list that otherwise only grows.
// It is 0 until the list is an eighth longer than recordsKept, so that removals are rare.
func surplus(records int) int {
	if records < recordsKept+recordsKept/8 {
		return 0
	}
	return records - recordsKept
}

// add appends a record to the records of its kind.
func add[T entry](st *state, records []T, added T) []T {
	st.mark(added.key(), mark{added, isNew})
	return append(records, added)
}

// keep is add for a list that otherwise only grows. It removes the oldest records if
// there are too many.
func keep[T entry](st *state, records []T, added T) []T {
	if left := surplus(len(records)); left > 0 {
		records = remove(st, records, func(T) bool { left--; return left >= 0 })
	}
	return add(st, records, added)
}

// remove removes the records for which gone returns true.
func remove[T entry](st *state, records []T, gone func(T) bool) []T {
	return slices.DeleteFunc(records, func(r T) bool {
		if !gone(r) {
			return false
		}
		st.mark(r.key(), mark{r, isGone})
		return true
	})
}
