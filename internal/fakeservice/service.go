package fakeservice

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// DefaultAPIKey is the key that a Service takes unless its options say another.
const DefaultAPIKey = "fake-api-key"

// basePath is where the API begins.
const basePath = "/api/v1"

// Options says how a Service runs.
type Options struct {
	// Speed is how many times faster than real the fake's clock runs; 0 means 1.
	Speed float64
	// Start is when the fake's clock begins; zero is now.
	Start time.Time
	// APIKey is the one key that is valid; "" means DefaultAPIKey.
	APIKey string
	// Logger gets one line for each request and job, without secrets; nil
	// discards them.
	Logger *slog.Logger
	// RequestsKept is how many requests the log holds, the last ones; 0 keeps
	// every one with its body, as tests want it.
	RequestsKept int
	// Querier runs SQL; nil leaves that to the data plane, and without one
	// answers every statement with 503.
	Querier Querier
	// DataPlane makes real what jobs do; nil keeps records alone. The Service
	// closes it. What a test does behind the client's back, such as
	// EditInstance, changes records alone in any case; AddInstance,
	// RemoveInstance and Reset are for real.
	DataPlane DataPlane
}

// Service is the fake. It is an http.Handler and safe for concurrent use.
type Service struct {
	key       string
	log       *slog.Logger
	clock     *clock
	store     *store
	routes    []route
	querier   Querier
	plane     DataPlane
	validator *apispec.Validator
	mux       *http.ServeMux

	traffic traffic
	gateway *gateway.Gateway
	once    sync.Once
}

// New makes a Service with a seeded catalogue and nothing else in it. It panics
// if the embedded OpenAPI document is broken, which a test of that document
// finds first.
func New(o Options) *Service {
	if o.APIKey == "" {
		o.APIKey = DefaultAPIKey
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	switch {
	case o.Querier != nil:
	case o.DataPlane != nil:
		o.Querier = o.DataPlane
	default:
		o.Querier = NoDataPlane(recordsOnly)
	}
	validator, err := apispec.New()
	if err != nil {
		panic("fakeservice: " + err.Error())
	}
	clock := newClock(o.Speed, o.Start)
	s := &Service{
		key:       o.APIKey,
		log:       o.Logger,
		clock:     clock,
		store:     newStore(clock, o.Logger, o.DataPlane),
		routes:    routes(),
		querier:   o.Querier,
		plane:     o.DataPlane,
		validator: validator,
		mux:       http.NewServeMux(),
		traffic:   traffic{kept: o.RequestsKept},
	}
	s.gateway = gateway.New(http.HandlerFunc(s.serveAPI), gateway.Options{Prefix: basePath, Now: clock.now, Watch: s.watch})
	s.mux.HandleFunc("/checkout/{token}", s.serveCheckout)
	s.mux.HandleFunc("GET /guides/apps", servePublicGuide)
	newControl(s)
	if s.plane != nil {
		s.plane.Attach(s)
	}
	return s
}

// ServeHTTP answers the API under /api/v1, which is behind a gateway, and what
// is beside it, which is not.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == basePath || strings.HasPrefix(r.URL.Path, basePath+"/") {
		s.gateway.ServeHTTP(w, r)
		return
	}
	// Every answer bears the fake's own time: clients compare it with the
	// times in records. The gateway sees to its own.
	w.Header().Set("Date", s.clock.now().Format(http.TimeFormat))
	s.mux.ServeHTTP(w, r)
}

// Close stops the fake's timers and its data plane, and lets go of requests that
// a fault delays. Those that have yet to reach the service never do.
func (s *Service) Close() error {
	var err error
	s.once.Do(func() {
		s.gateway.Close()
		s.store.close()
		if s.plane != nil {
			err = s.plane.Close()
		}
	})
	return err
}

// Now is the fake's time.
func (s *Service) Now() time.Time { return s.clock.now() }

// Advance moves the fake's clock forward. What is due by then happens, in
// order and at its own time, before Advance returns; where that takes real
// work, Advance waits for it.
func (s *Service) Advance(d time.Duration) {
	s.clock.advance(d)
	s.store.await()
}

// SetDuration says how long a job of an operation takes from now on, by the
// fake's clock; "build" stands for builds. Jobs in progress keep their time.
func (s *Service) SetDuration(operation string, d time.Duration) {
	s.store.do(func(st *state) { st.durations.set(operation, d) })
}

// Reset forgets everything: state, what was set at the gateway, holds, the
// request log and violations. The clock goes on.
func (s *Service) Reset() {
	s.gateway.Reset()
	s.store.keepPast(func(h *history) { *h = history{} })
	for _, id := range s.store.reset() {
		s.removeMachine(id)
	}
	s.traffic.clear()
}

// removeMachine takes the real part of an instance away. A job that was at work
// on it has been told to stop.
func (s *Service) removeMachine(instanceID string) {
	if s.plane == nil {
		return
	}
	if err := s.plane.Remove(s.store.life, instanceID); err != nil {
		s.log.Error("a machine could not be removed", "instance", instanceID, "error", err)
	}
}
