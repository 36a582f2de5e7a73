package fakeservice

import (
	"cmp"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/control"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/portal"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/traffic"
)

// Options says how a Service runs.
type Options struct {
	// Speed is how many times faster than real the fake's clock runs; 0 means 1.
	Speed float64
	// Start is when the fake's clock begins; zero is now.
	Start time.Time
	// APIKey is the one key that is valid, and ControlToken what the routes under
	// /_fake/ want; "" makes a random one.
	APIKey, ControlToken string
	// Names are those by which the fake is reached, besides localhost and addresses.
	Names []string
	// RequestsKept is how many requests the log holds, the last ones without their
	// bodies, and how many violations; 0 keeps every one with its body, as tests want
	// it.
	RequestsKept int
	// Answered is told of each request to the API, as it is answered; nil is nobody.
	Answered func(Request)
	// Logger gets one line for each request, job and build, without secrets; nil
	// discards them.
	Logger *slog.Logger
	// Querier and DataPlane make real what is only a record otherwise, as
	// core.Options says.
	Querier   Querier
	DataPlane DataPlane
}

// Service is the fake: the service with all its faces, behind a gateway at which
// things go wrong as tests ask for it. It is an http.Handler and safe for concurrent
// use. What the service itself is, core.Service, tests hold, step and edit directly.
type Service struct {
	*core.Service
	*traffic.Log
	api     *rest.API
	gateway *gateway.Gateway
	mux     *http.ServeMux
	names   []string
	once    sync.Once

	skyMu sync.Mutex
	sky   sky

	apiKey, controlToken string
}

// New makes a Service with a seeded catalogue and nothing else in it.
func New(o Options) *Service {
	o.APIKey = cmp.Or(o.APIKey, rand.Text())
	o.ControlToken = cmp.Or(o.ControlToken, rand.Text())
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Service{Service: core.New(core.Options{Speed: o.Speed, Start: o.Start, Logger: o.Logger, Querier: o.Querier, DataPlane: o.DataPlane}), mux: http.NewServeMux(), names: o.Names, apiKey: o.APIKey, controlToken: o.ControlToken}
	s.Log = traffic.New(traffic.Options{Prefix: rest.Prefix, Kept: o.RequestsKept, Now: s.Now, Logger: o.Logger, Answered: o.Answered})
	s.api = rest.New(rest.Options{Service: s.Service, APIKey: o.APIKey, Violation: s.Violation})
	s.gateway = gateway.New(http.HandlerFunc(s.serveAPI), gateway.Options{Prefix: rest.Prefix, Now: s.Now, Watch: s.Watch})
	portal.Mount(s.mux, s.Service)
	control.Mount(s.mux, control.Options{Core: s.Service, Network: s, Log: s.Log, Token: o.ControlToken, Reset: s.Reset})
	return s
}

// ServeHTTP answers the API under /api/v1, which is behind a gateway, and what
// is beside it, which is not.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.checkVisitor(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	if r.URL.Path == rest.Prefix || strings.HasPrefix(r.URL.Path, rest.Prefix+"/") {
		s.gateway.ServeHTTP(w, r)
		return
	}
	// Every answer bears the fake's own time: clients compare it with the
	// times in records. The gateway sees to its own.
	w.Header().Set("Date", s.Now().Format(http.TimeFormat))
	s.mux.ServeHTTP(w, r)
}

// serveAPI answers what the gateway has passed on, from a moment that is past where
// the gateway has reads lag.
func (s *Service) serveAPI(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	s.api.ServeHTTP(w, r.WithContext(core.Lagging(ctx, gateway.LagOf(ctx))))
}

// APIKey is the key that is valid.
func (s *Service) APIKey() string { return s.apiKey }

// ControlToken is what the routes under /_fake/ want as a bearer token.
func (s *Service) ControlToken() string { return s.controlToken }

// Close stops the fake's timers and its data plane, and lets go of requests that
// a fault delays. Those that have yet to reach the service never do.
func (s *Service) Close() error {
	var err error
	s.once.Do(func() {
		s.gateway.Close()
		err = s.Service.Close()
	})
	return err
}

// Reset forgets everything: records, what was set at the gateway, holds, the
// request log and violations. The clock goes on.
func (s *Service) Reset() {
	s.SetStrike(nil)
	s.gateway.Reset()
	s.Service.Reset()
	s.api.Forget()
	s.Clear()
}
