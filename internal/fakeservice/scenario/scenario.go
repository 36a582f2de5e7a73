// Package scenario sets up the scenario of a test in a fake: holds, faults, weather, time
// and snapshots. The control routes and the portal's control page share it.
package scenario

import (
	"crypto/subtle"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/requestlog"
)

// Network sets faults between clients and the service.
type Network interface {
	Inject(gateway.Fault) (remove func())
	Conditions() gateway.Conditions
	SetConditions(gateway.Conditions)
	Weather() (now weather.Weather, seed uint64)
	SetWeather(w weather.Weather, seed uint64)
	Away(d time.Duration, page int)
	LateRequests() int
	DeliverLate() int
}

// Options configures a Scenario.
type Options struct {
	Core    *core.Service
	Network Network
	Log     *requestlog.Log
	// Token is the control token, which each caller needs.
	Token string
	// Snapshots returns the folder of snapshots, and creates it if necessary.
	Snapshots func() (string, error)
}

// Scenario has the holds and faults that are set. It is safe for concurrent use.
type Scenario struct {
	Options

	mu sync.Mutex
	// last is the number in the last id of a hold or a fault.
	last   int
	holds  []*Hold
	faults []*Fault
	// filling is held while a snapshot is written, restored or deleted.
	filling sync.Mutex
}

// New returns a Scenario without holds and faults.
func New(o Options) *Scenario { return &Scenario{Options: o} }

// Accepts reports whether a token is the control token.
func (s *Scenario) Accepts(token string) bool {
	return token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(s.Token)) == 1
}

// Reset resets the fake by the given function, which ends all holds and faults.
func (s *Scenario) Reset(reset func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds, s.faults = nil, nil
	reset()
}
