package control

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// Hold is a hold of jobs or builds that was not released.
type Hold struct {
	ID string
	// Kind is jobs or builds.
	Kind string
	// InstanceID, Operation, Target and App select what is held. An empty one selects
	// everything.
	InstanceID, Operation, Target, App string

	release func()
}

// Fault is an installed fault.
type Fault struct {
	ID string
	gateway.Fault

	hits   *atomic.Int64
	remove func()
}

// Hits returns the number of requests that the fault has affected.
func (f *Fault) Hits() int { return int(f.hits.Load()) }

// HoldJobs holds matching jobs and returns the id of the hold.
func (c *Controls) HoldJobs(m core.JobMatch) (id string) {
	return c.keep(&Hold{Kind: "jobs", InstanceID: m.InstanceID, Operation: m.Operation, Target: m.Target, release: c.Core.HoldJobs(m)})
}

// HoldBuilds holds matching builds and returns the id of the hold.
func (c *Controls) HoldBuilds(m core.BuildMatch) (id string) {
	return c.keep(&Hold{Kind: "builds", InstanceID: m.InstanceID, App: m.App, release: c.Core.HoldBuilds(m)})
}

// keep numbers a hold, because neither a program nor a page can keep its function.
func (c *Controls) keep(h *Hold) (id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	h.ID = fmt.Sprintf("hold-%d", c.last)
	c.holds = append(c.holds, h)
	return h.ID
}

// Holds returns the holds, oldest first.
func (c *Controls) Holds() []*Hold {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.holds)
}

// Release releases the hold with this id, or all holds if id is "". It returns their
// number.
func (c *Controls) Release(id string) (released int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds = slices.DeleteFunc(c.holds, func(h *Hold) bool {
		if id != "" && id != h.ID {
			return false
		}
		h.release()
		released++
		return true
	})
	if id != "" && released == 0 {
		return 0, fmt.Errorf("there is no hold %q", id)
	}
	return released, nil
}

// AddFault installs a fault.
func (c *Controls) AddFault(f gateway.Fault) error {
	if err := checkPage(f.Page); err != nil {
		return err
	}
	if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
		return errors.New("status must be from 200 to 599")
	}
	set := &Fault{Fault: f, hits: new(atomic.Int64)}
	f.Before = func() { set.hits.Add(1) }
	set.remove = c.Network.Inject(f)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	set.ID = fmt.Sprintf("fault-%d", c.last)
	c.faults = append(c.faults, set)
	return nil
}

// Faults returns the installed faults, oldest first, including those that have ended.
func (c *Controls) Faults() []*Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.faults)
}

// RemoveFault removes the fault with this id, or all faults if id is "". It returns their
// number.
func (c *Controls) RemoveFault(id string) (removed int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = slices.DeleteFunc(c.faults, func(f *Fault) bool {
		if id != "" && id != f.ID {
			return false
		}
		f.remove()
		removed++
		return true
	})
	if id != "" && removed == 0 {
		return 0, fmt.Errorf("there is no fault %q", id)
	}
	return removed, nil
}

// Advance moves the fake's clock forward. by is a duration such as 90s or 24h.
func (c *Controls) Advance(by string) error {
	d, err := time.ParseDuration(strings.TrimSpace(by))
	if err != nil || d < 0 {
		return fmt.Errorf("by must be a duration such as 90s, not %q", by)
	}
	c.Core.Advance(d)
	return nil
}

// SetWeather sets the weather by its name, from the next request on. A seed of 0 means a
// random one.
func (c *Controls) SetWeather(name string, seed uint64) error {
	next, err := weather.Parse(name)
	if err != nil {
		return err
	}
	switch {
	case next == weather.Calm && seed != 0:
		return errors.New("seed is the chance of the weather, which is calm")
	case next != weather.Calm && seed == 0:
		seed = weather.DrawSeed()
	}
	c.Network.SetWeather(next, seed)
	return nil
}
