package fakeservice

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/control"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/mcp"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/outside"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/portal"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/setup"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/traffic"
)

// Options says how a Service runs.
type Options struct {
	// Speed is how many times faster than real the fake's clock runs; 0 means 1.
	Speed float64
	// Start is when the fake's clock begins; zero is now.
	Start time.Time
	// APIKey is the first key that is valid, and ControlToken what the routes under
	// /_fake/ want; "" makes a random one.
	APIKey, ControlToken string
	// PortalURL is the address of the portal, where checkouts are opened; "" is the one
	// at which a caller found the API.
	PortalURL string
	// PortalPassword is what the account signs in with at the portal; "" makes a random
	// one.
	PortalPassword string
	// Outside is where forks listen and are reached, as its machines are.
	Outside outside.Addresses
	// Names are those by which the fake is reached, besides localhost and addresses.
	Names []string
	// RequestsKept is how many requests the log holds, the last ones without their
	// bodies, and how many violations; 0 keeps every one with its body, as tests want
	// it.
	RequestsKept int
	// Answered is told of each request to the API, as it is answered; nil is nobody.
	Answered func(Request)
	// Called is told of each call of an MCP tool, as it is answered; nil is nobody.
	Called func(ToolCall)
	// PortalDid is told of each operation of the API's document that the portal has
	// carried out; nil is nobody.
	PortalDid func(operation string)
	// Logger gets one line for each request, job and build, without secrets; nil
	// discards them.
	Logger *slog.Logger
	// Querier and DataPlane make real what is only a record otherwise, as
	// core.Options says.
	Querier   Querier
	DataPlane DataPlane
	// Storage keeps the records when the program ends, as core.Options says, and with
	// them the credentials that were made.
	Storage core.Storage
	// Courier takes events to the webhook endpoints, forks' too; nil delivers none.
	Courier core.Courier
	// SnapshotFolder is where snapshots stay; "" is a folder that goes with the Service.
	SnapshotFolder string
	// SnapshotLimit is how many bytes a snapshot that is brought to the fake may have when
	// it is unpacked; 0 is 2 GiB.
	SnapshotLimit int64
	// NewDataPlane makes the data planes of forks.
	NewDataPlane func() (DataPlane, error)
	// Setup is what the service begins with, and again after each Reset.
	Setup setup.Setup
}

// Service is the fake: the service with all its faces, behind a gateway at which
// things go wrong as tests ask for it. It is an http.Handler and safe for concurrent
// use. What the service itself is, core.Service, tests hold, step and edit directly.
type Service struct {
	*core.Service
	*traffic.Log
	api     *rest.API
	portal  *portal.Portal
	gateway *gateway.Gateway
	mux     *http.ServeMux
	names   []string
	log     *slog.Logger
	once    sync.Once
	options Options
	forks   forks

	skyMu sync.Mutex
	sky   sky

	apiKey, controlToken, portalPassword string

	// begin makes a service that holds nothing what it is to begin with, and setupError says
	// why it did not.
	begin      func() error
	setupError error
}

// defaultSnapshotLimit is the default of Options.SnapshotLimit.
const defaultSnapshotLimit = 2 << 30

// New is Open for a Service that keeps nothing, of which no opening can fail.
func New(o Options) *Service {
	s, err := Open(o)
	if err != nil {
		panic("fakeservice: " + err.Error())
	}
	return s
}

// Open makes a Service with what its storage holds, or with a seeded catalogue and
// nothing else in it.
func Open(o Options) (*Service, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	service, err := core.Open(core.Options{
		Speed: o.Speed, Start: o.Start, Logger: o.Logger, Querier: o.Querier, DataPlane: o.DataPlane, Storage: o.Storage, Courier: o.Courier,
	})
	if err != nil {
		return nil, err
	}
	s := &Service{
		Service: service, mux: http.NewServeMux(), names: o.Names, log: o.Logger, options: o,
		apiKey: service.FirstKey(o.APIKey), controlToken: service.Credential("control_token", o.ControlToken),
		portalPassword: service.Credential("portal_password", o.PortalPassword),
	}
	s.Log = traffic.New(traffic.Options{Prefix: rest.Prefix, Kept: o.RequestsKept, Now: s.Now, Logger: o.Logger, Answered: o.Answered})
	s.api = rest.New(rest.Options{Service: s.Service, PortalURL: o.PortalURL, Violation: s.Violation})
	s.gateway = gateway.New(http.HandlerFunc(s.serveAPI), gateway.Options{Prefix: rest.Prefix, Now: s.Now, Watch: s.Watch})
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mcp.Mount(s.mux, mcp.Options{Service: s.Service, PortalURL: o.PortalURL, Logger: o.Logger, Called: o.Called})
	s.portal = portal.New(portal.Options{Service: s.Service, PortalURL: o.PortalURL, Password: s.portalPassword, Did: o.PortalDid})
	s.portal.Mount(s.mux)
	control.Mount(s.mux, control.Options{Core: s.Service, Network: s, Log: s.Log, Token: s.controlToken, Reset: s.Reset, Snapshots: s.snapshots, SnapshotLimit: cmp.Or(o.SnapshotLimit, defaultSnapshotLimit), Fork: s.serveFork})
	s.begin = func() error {
		return service.Begin(func() error { return o.Setup.Apply(service, o.DataPlane != nil) })
	}
	s.setupError = s.begin()
	return s, nil
}

// ServeHTTP answers the API under /api/v1, which is behind a gateway, and what
// is beside it, which is not. GET /healthz needs no token and answers 200.
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

// SetupError is why the service does not hold all that Options.Setup names: where there is
// a data plane, a machine may not come up. It is nil otherwise.
func (s *Service) SetupError() error { return s.setupError }

// APIKey is the key that is valid.
func (s *Service) APIKey() string { return s.apiKey }

// ControlToken is what the routes under /_fake/ want as a bearer token.
func (s *Service) ControlToken() string { return s.controlToken }

// PortalPassword is what the account signs in with at the portal.
func (s *Service) PortalPassword() string { return s.portalPassword }

// Close stops the fake's timers and its data plane, and lets go of requests that
// a fault delays. Those that have yet to reach the service never do.
func (s *Service) Close() error {
	var err error
	s.once.Do(func() {
		s.gateway.Close()
		s.portal.Close()
		err = errors.Join(s.forks.end(), s.Service.Close())
	})
	return err
}

// Reset forgets everything: records, what was set at the gateway, holds, the
// request log and violations. The clock goes on. Then the service begins again with
// what its options say.
func (s *Service) Reset() {
	s.SetStrike(nil)
	s.gateway.Reset()
	s.Service.Reset()
	s.Clear()
	if err := s.begin(); err != nil {
		s.log.Error("the fake service does not begin again as it is to", "error", err)
	}
}
