package serving

import (
	"slices"
	"strings"
)

// Optimizations are what keeps the cost of the provider low. The benchmark switches
// them off, one at a time, to measure what each gives.
type Optimizations struct {
	// Logs has the SDK write no log lines that nobody reads.
	Logs bool
	// Contexts lets go of the context of each call.
	Contexts bool
	// Shortcuts answers at once what surely changes nothing.
	Shortcuts bool
	// Coalescing has reads that belong together share a request.
	Coalescing bool
}

// All are those that a provider is served with.
var All = Optimizations{Logs: true, Contexts: true, Shortcuts: true, Coalescing: true}

// AllBut are all but those of a list of words, separated by commas: logs, contexts,
// shortcuts, coalescing.
func AllBut(list string) Optimizations {
	words := strings.Split(list, ",")
	on := func(word string) bool { return !slices.Contains(words, word) }
	return Optimizations{Logs: on("logs"), Contexts: on("contexts"), Shortcuts: on("shortcuts"), Coalescing: on("coalescing")}
}
