package client

import (
	"slices"
	"sync"
	"time"
)

// usualDuration is how long an operation takes as a rule. It only shapes the
// polling: a wrong one costs a few polls, never a wait.
var usualDuration = map[string]time.Duration{
	OpCreate:         480 * time.Second,
	OpUpdate:         5 * time.Second,
	OpDelete:         30 * time.Second,
	OpEngines:        30 * time.Second,
	OpAllowlist:      20 * time.Second,
	OpConsole:        5 * time.Second,
	OpAuthSettings:   5 * time.Second,
	OpRotate:         20 * time.Second,
	OpResize:         60 * time.Second,
	OpReset:          60 * time.Second,
	OpRestore:        120 * time.Second,
	OpDatabaseCreate: 5 * time.Second,
	OpDatabaseDrop:   5 * time.Second,
	OpExtensionSet:   5 * time.Second,
	OpExtensionDrop:  5 * time.Second,
	OpAppImport:      20 * time.Second,
	OpAppUpdate:      5 * time.Second,
	OpAppDelete:      10 * time.Second,
	OpAppRedeploy:    5 * time.Second,
	OpAppRestart:     10 * time.Second,
	OpEngineRestart:  20 * time.Second,
	opFirstBuild:     180 * time.Second,
	opBuild:          120 * time.Second,
}

// The two kinds of builds, which are no jobs: the first of an app takes longer.
const (
	opFirstBuild = "first build"
	opBuild      = "build"
)

// Work of one kind, jobs or builds, takes about equally long: it is the same operation on
// the same plan or engine. on is "" where neither matters.
type kind struct{ operation, on string }

// work is a job or a build, and since when it is at work where this process has set
// it going, zero where it has not.
type work struct {
	kind
	since time.Time
}

// noteWork notes that the service has begun a job or a build for this process now. An
// id of "" is ignored.
func (c *Client) noteWork(id string, k kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id != "" {
		c.begunWork[id] = work{k, time.Now()}
	}
}

// workOf is what this process knows of a job or a build, or otherwise only the kind.
func (c *Client) workOf(id string, otherwise kind) work {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, known := c.begunWork[id]; known {
		return w
	}
	return work{kind: otherwise}
}

const (
	// newest is how many durations of a kind count: a service may become faster.
	newest = 9
	// agreement is by how much the paces of different operations may differ for
	// the pace to be the service's.
	agreement = 3
)

// durations are what a process has seen work take, by which it expects how long more
// of it takes. The median of few is not led astray by one that was stuck.
type durations struct {
	mu   sync.Mutex
	seen map[kind][]time.Duration // newest last
}

func newDurations() *durations { return &durations{seen: map[kind][]time.Duration{}} }

// note notes how long work of a kind took.
func (d *durations) note(k kind, took time.Duration) {
	if k.operation == "" || took <= 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.add(k, took)
	if k.on != "" {
		d.add(kind{operation: k.operation}, took)
	}
}

func (d *durations) add(k kind, took time.Duration) {
	d.seen[k] = append(d.seen[k], took)
	d.seen[k] = d.seen[k][max(0, len(d.seen[k])-newest):]
}

// expect is how long work of a kind is expected to take, 0 where nothing is known:
// as long as others of its kind did, or else of its operation, or else as long as its
// operation takes as a rule, at the pace of this service.
func (d *durations) expect(k kind) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, seen := range [][]time.Duration{d.seen[k], d.seen[kind{operation: k.operation}]} {
		if len(seen) > 0 {
			return median(seen)
		}
	}
	return time.Duration(float64(usualDuration[k.operation]) * d.pace())
}

// pace is how long operations take here, measured by what they take as a rule: 0.5 of
// a service that is twice as fast. It is 1 where operations do not agree on one. The
// lock is held.
func (d *durations) pace() float64 {
	var paces []float64
	for k, seen := range d.seen {
		if usual := usualDuration[k.operation]; usual > 0 && k.on == "" {
			paces = append(paces, float64(median(seen))/float64(usual))
		}
	}
	if len(paces) == 0 || slices.Max(paces) > agreement*slices.Min(paces) {
		return 1
	}
	return median(paces)
}

// median is the value in the middle, the lower one of two.
func median[T time.Duration | float64](values []T) T {
	return slices.Sorted(slices.Values(values))[(len(values)-1)/2]
}
