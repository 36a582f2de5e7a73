package core

import "slices"

// recordsKept is how many of what only grows are kept: jobs, events, mails, charges and
// subscriptions, the newest ones. A fake may run for months.
const recordsKept = 8192

// surplus is how many of what only grows are to go, now that there are so many.
func surplus(records int) int {
	if records < recordsKept+recordsKept/8 {
		return 0
	}
	return records - recordsKept
}

// add adds a record to those of its kind.
func add[T entry](st *state, records []T, added T) []T {
	st.mark(added.key(), mark{added, isNew})
	return append(records, added)
}

// keep is add for what only grows, and lets the oldest go.
func keep[T entry](st *state, records []T, added T) []T {
	if left := surplus(len(records)); left > 0 {
		records = remove(st, records, func(T) bool { left--; return left >= 0 })
	}
	return add(st, records, added)
}

// remove lets the records go of which gone is true.
func remove[T entry](st *state, records []T, gone func(T) bool) []T {
	return slices.DeleteFunc(records, func(r T) bool {
		if !gone(r) {
			return false
		}
		st.mark(r.key(), mark{r, isGone})
		return true
	})
}
