package client

import (
	"slices"
	"sync"
	"time"
)

// usualDuration is the typical duration of each operation. It only shapes the polling: a
// wrong value costs a few polls, but never makes a wait fail.
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

// The two kinds of builds. Builds are not jobs, and the first build of an app takes
// longer.
const (
	opFirstBuild = "first build"
	opBuild      = "build"
)

// A kind of work consists of jobs or builds that take about equally long: the same
// operation on the same plan or engine. on is "" if neither matters.
type kind struct{ operation, on string }

// work is a job or a build. since is the time when this process started it, or zero if
// another process did.
type work struct {
	kind
	since time.Time
}

// noteWork records that the service has now begun a job or a build for this process. An
// empty id is ignored.
func (c *Client) noteWork(id string, k kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id != "" {
		c.begunWork[id] = work{k, time.Now()}
	}
}

// workOf returns what this process recorded about a job or a build. If the id is unknown,
// the result has only the kind otherwise.
func (c *Client) workOf(id string, otherwise kind) work {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, known := c.begunWork[id]; known {
		return w
	}
	return work{kind: otherwise}
}

const (
	// newest is the number of durations kept for each kind. Older ones are dropped, because
	// a service may become faster.
	newest = 9
	// agreement is the maximum factor between the paces of different operations. If they
	// differ by more, they do not describe the service.
	agreement = 3
)

// durations records how long work took in this process, and predicts how long more of it
// will take. It uses the median of a few values, which a single slow one hardly changes.
type durations struct {
	mu   sync.Mutex
	seen map[kind][]time.Duration // newest last
}

func newDurations() *durations { return &durations{seen: map[kind][]time.Duration{}} }

// note records how long work of a kind took.
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

// expect returns how long work of a kind is expected to take, or 0 if nothing is known.
// It uses the durations of the same kind, or else those of the same operation. If there
// are none, it uses the typical duration of the operation at the pace of this service.
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

// pace returns the ratio between the observed and the typical durations of operations:
// 0.5 for a service that is twice as fast. It is 1 if the operations differ too much. The
// caller must hold the lock.
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

// median returns the value in the middle, or the lower one of two.
func median[T time.Duration | float64](values []T) T {
	return slices.Sorted(slices.Values(values))[(len(values)-1)/2]
}
