package gateway

import (
	"path"
	"slices"
	"strings"
	"time"
)

// injected is an active fault, with its counters.
type injected struct {
	Fault
	seen, acted int
	// until is the time at which the fault ends. It is zero before the first match.
	until time.Time
}

// Inject installs a fault and returns a function that removes it.
func (g *Gateway) Inject(f Fault) (remove func()) {
	set := &injected{Fault: f}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults = append(g.faults, set)
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.faults = slices.DeleteFunc(g.faults, func(other *injected) bool { return other == set })
	}
}

func (g *Gateway) clearFaults() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults = nil
}

// take returns the injected fault for a request, or nil. Every fault counts the requests
// that it matches, even those that it does not affect. If free is false, no fault may
// affect the request.
func (g *Gateway) take(method, requestPath string, free bool) *Fault {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	var acting *Fault
	for _, f := range g.faults {
		if f.matches(method, requestPath, now) && free && acting == nil {
			f.acted++
			acting = &f.Fault
		}
	}
	return acting
}

// matches counts a matching request, and reports whether the fault may affect it.
func (f *injected) matches(method, requestPath string, now time.Time) bool {
	if (f.Method != "" && f.Method != method) || !MatchPath(f.Path, requestPath) {
		return false
	}
	if f.seen++; f.seen <= f.Skip {
		return false
	}
	times := f.Times
	if f.For > 0 {
		if f.until.IsZero() {
			f.until = now.Add(f.For)
		}
		if !now.Before(f.until) {
			return false
		}
		if times == 0 {
			times = -1
		}
	}
	return times < 0 || f.acted < max(times, 1)
}

// MatchPath matches a path against a glob, element by element. An empty glob matches any
// path, and a final ** matches one or more elements.
func MatchPath(glob, requestPath string) bool {
	if glob == "" {
		return true
	}
	want, have := strings.Split(glob, "/"), strings.Split(requestPath, "/")
	for i, pattern := range want {
		if pattern == "**" && i == len(want)-1 {
			return len(have) > i
		}
		if i >= len(have) {
			return false
		}
		if ok, err := path.Match(pattern, have[i]); err != nil || !ok {
			return false
		}
	}
	return len(want) == len(have)
}
