package scenario

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
func (s *Scenario) HoldJobs(m core.JobMatch) (id string, err error) {
	if err := m.Check(); err != nil {
		return "", err
	}
	return s.keep(&Hold{Kind: "jobs", InstanceID: m.InstanceID, Operation: m.Operation, Target: m.Target, release: s.Core.HoldJobs(m)}), nil
}

// FailJobs makes matching jobs fail.
func (s *Scenario) FailJobs(m core.JobMatch, times int, code, detail string) error {
	if err := m.Check(); err != nil {
		return err
	}
	s.Core.FailJobs(m, times, code, detail)
	return nil
}

// HoldBuilds holds matching builds and returns the id of the hold.
func (s *Scenario) HoldBuilds(m core.BuildMatch) (id string) {
	return s.keep(&Hold{Kind: "builds", InstanceID: m.InstanceID, App: m.App, release: s.Core.HoldBuilds(m)})
}

// keep numbers a hold, because neither a program nor a page can keep its function.
func (s *Scenario) keep(h *Hold) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	h.ID = fmt.Sprintf("hold-%d", s.last)
	s.holds = append(s.holds, h)
	return h.ID
}

// Holds returns the holds, oldest first.
func (s *Scenario) Holds() []*Hold {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.holds)
}

// Release releases the hold with this id, or all holds if id is "". It returns their
// number.
func (s *Scenario) Release(id string) (released int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds = slices.DeleteFunc(s.holds, func(h *Hold) bool {
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
func (s *Scenario) AddFault(f gateway.Fault) error {
	if err := f.Check(); err != nil {
		return err
	}
	set := &Fault{Fault: f, hits: new(atomic.Int64)}
	f.Before = func() { set.hits.Add(1) }
	set.remove = s.Network.Inject(f)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	set.ID = fmt.Sprintf("fault-%d", s.last)
	s.faults = append(s.faults, set)
	return nil
}

// Faults returns the installed faults, oldest first, including those that have ended.
func (s *Scenario) Faults() []*Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults)
}

// RemoveFault removes the fault with this id, or all faults if id is "". It returns their
// number.
func (s *Scenario) RemoveFault(id string) (removed int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = slices.DeleteFunc(s.faults, func(f *Fault) bool {
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
func (s *Scenario) Advance(by string) error {
	d, err := time.ParseDuration(strings.TrimSpace(by))
	if err != nil || d < 0 {
		return fmt.Errorf("by must be a duration such as 90s, not %q", by)
	}
	if err := s.Core.CheckAdvance(d); err != nil {
		return err
	}
	s.Core.Advance(d)
	return nil
}

// SetWeather sets the weather by its name, from the next request on. A seed of 0 means a
// random one.
func (s *Scenario) SetWeather(name string, seed uint64) error {
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
	s.Network.SetWeather(next, seed)
	return nil
}
