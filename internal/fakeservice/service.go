package fakeservice

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/control"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/mcp"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/oauth"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/portal"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/requestlog"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/scenario"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/setup"
)

// Options configures a Service.
type Options struct {
	// Speed is the speed of the fake's clock relative to real time. 0 means 1.
	Speed float64
	// Start is the initial time of the fake's clock. Zero means now.
	Start time.Time
	// APIKey is the first valid key. ControlToken is the token for the routes under
	// /_fake/. An empty one is replaced by a random one.
	APIKey, ControlToken string
	// PortalURL is the address of the portal for checkouts. "" means the address at which
	// the caller found the API.
	PortalURL string
	// PortalPassword is the account's password at the portal. "" means a random one.
	PortalPassword string
	// Public configures the addresses of forks. dataplane.Options has the same setting
	// for machines.
	Public publicaddr.Addresses
	// Names has the host names of the fake, in addition to localhost and addresses.
	Names []string
	// RequestsKept is the number of requests and of violations in the log. The latest
	// requests have their bodies, if these are small. 0 keeps all requests with their bodies,
	// for tests.
	RequestsKept int
	// Answered, if non-nil, is called with each answered request to the API.
	Answered func(Request)
	// Called, if non-nil, is called with each answered call of an MCP tool.
	Called func(ToolCall)
	// PortalDid, if non-nil, is called with each operation of the API document that the
	// portal carries out.
	PortalDid func(operation string)
	// Logger, if non-nil, receives a line for each request, job and build, without
	// secrets.
	Logger *slog.Logger
	// Querier and DataPlane do real work; see core.Options.
	Querier   Querier
	DataPlane DataPlane
	// Storage stores the records, with the generated credentials; see core.Options.
	Storage core.Storage
	// Courier, if non-nil, delivers events to the webhook endpoints, including those of
	// forks.
	Courier core.Courier
	// Network, if non-nil, fetches the metadata documents of OAuth clients. Without it,
	// the fake does not take the URL of a document as the id of a client.
	Network http.RoundTripper
	// SnapshotFolder is the folder of snapshots. "" means a folder that is removed when
	// the Service is closed.
	SnapshotFolder string
	// SnapshotLimit is the maximum size in bytes of an uploaded snapshot after it is
	// unpacked. 0 means 2 GiB.
	SnapshotLimit int64
	// NewDataPlane makes the data planes of forks.
	NewDataPlane func() (DataPlane, error)
	// Setup is the initial contents of the service, also after each Reset.
	Setup setup.Setup
}

// Service is the fake with all its interfaces, behind a gateway that injects faults. It
// is an http.Handler and safe for concurrent use. It embeds core.Service, so that tests
// can hold and finish jobs and edit the state directly.
type Service struct {
	*core.Service
	*requestlog.Log
	api     *rest.API
	portal  *portal.Portal
	gateway *gateway.Gateway
	endMCP  func()
	mux     *http.ServeMux
	names   []string
	log     *slog.Logger
	once    sync.Once
	options Options
	forks   forks

	skyMu        sync.Mutex
	weatherState weatherState

	apiKey, controlToken, portalPassword string

	// begin sets up the initial contents of an empty service. setupError is the reason
	// that this failed.
	begin      func() error
	setupError error
}

// defaultSnapshotLimit is the default of Options.SnapshotLimit.
const defaultSnapshotLimit = 2 << 30

// New is like Open for a Service without Storage. It panics on an error.
func New(o Options) *Service {
	s, err := Open(o)
	if err != nil {
		panic("fakeservice: " + err.Error())
	}
	return s
}

// Open makes a Service with the records in its storage, or with only the initial catalog
// if there are none.
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
	s.Log = requestlog.New(requestlog.Options{Prefix: rest.Prefix, Kept: o.RequestsKept, Now: s.Now, Logger: o.Logger, Answered: o.Answered})
	s.api = rest.New(rest.Options{Service: s.Service, PortalURL: o.PortalURL, Violation: s.Violation})
	s.gateway = gateway.New(http.HandlerFunc(s.serveFace), gateway.Options{Prefix: rest.Prefix, Now: s.Now, Watch: s.watch})
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	s.endMCP = mcp.Mount(s.mux, mcp.Options{Service: s.Service, PortalURL: o.PortalURL, Logger: o.Logger, Called: o.Called})
	authorization := oauth.New(oauth.Options{Service: s.Service, Resource: mcp.Path, Network: o.Network})
	authorization.Mount(s.mux)
	setting := scenario.New(scenario.Options{Core: s.Service, Network: s, Log: s.Log, Token: s.controlToken, Snapshots: s.snapshots})
	s.portal = portal.New(portal.Options{
		Service: s.Service, PortalURL: o.PortalURL, Password: s.portalPassword, OAuth: authorization, Did: o.PortalDid, Scenario: setting, ControlRoutes: controlRoutes(),
	})
	s.portal.Mount(s.mux)
	control.Mount(s.mux, control.Options{Scenario: setting, Reset: s.Reset, SnapshotLimit: cmp.Or(o.SnapshotLimit, defaultSnapshotLimit), Fork: s.serveFork})
	s.begin = func() error {
		return service.Begin(func() error { return o.Setup.Apply(service, o.DataPlane != nil) })
	}
	s.setupError = s.begin()
	return s, nil
}

// controlRoutes returns the control routes for the portal's list of them.
func controlRoutes() (list []portal.ControlRoute) {
	for _, r := range control.Routes() {
		list = append(list, portal.ControlRoute(r))
	}
	return list
}

// ServeHTTP serves the API under /api/v1, the MCP server and the portal through the
// gateway, and everything else without it. GET /healthz needs no token and answers 200.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.checkVisitor(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	if behindGateway(r.URL.Path) {
		s.gateway.ServeHTTP(w, r)
		return
	}
	// Every answer has the fake's time in its Date header, because clients compare it
	// with times in records. The gateway sets its own header.
	w.Header().Set("Date", s.Now().Format(http.TimeFormat))
	s.mux.ServeHTTP(w, r)
}

// behindGateway reports whether requests to a path pass through the gateway: all that
// carry out operations. Sign-in, the consent to an application, the files of pages and the
// pages that only the fake has always answer, so that a person can reach the controls.
func behindGateway(path string) bool {
	below := func(root string) bool { return isBelow(path, root) }
	if slices.ContainsFunc([]string{portal.SignInPath, portal.AssetsPath, portal.FakePath, oauth.AuthorizePath}, below) {
		return false
	}
	return slices.ContainsFunc([]string{rest.Prefix, mcp.Path, portal.Root, portal.CheckoutPath, portal.GuidePath}, below)
}

// isBelow reports whether a path is a root or below it.
func isBelow(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}

// serveFace answers a request from the gateway. If the gateway makes the read lag, the
// answer shows the state of a past moment.
func (s *Service) serveFace(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	r = r.WithContext(core.Lagging(ctx, gateway.LagOf(ctx)))
	if isBelow(r.URL.Path, rest.Prefix) {
		s.api.ServeHTTP(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// watch logs the requests to the API.
func (s *Service) watch(r *http.Request, body []byte) gateway.Exchange {
	if !isBelow(r.URL.Path, rest.Prefix) {
		return nil
	}
	return s.Watch(r, body)
}

// SetupError returns the reason that the service lacks part of Options.Setup, or nil.
// With a data plane, a machine may fail to start.
func (s *Service) SetupError() error { return s.setupError }

// APIKey returns the first API key.
func (s *Service) APIKey() string { return s.apiKey }

// ControlToken returns the bearer token for the routes under /_fake/.
func (s *Service) ControlToken() string { return s.controlToken }

// PortalPassword returns the account's password at the portal.
func (s *Service) PortalPassword() string { return s.portalPassword }

// Close stops the fake's timers and its data plane, and ends the delays of requests. Late
// requests are no longer processed.
func (s *Service) Close() error {
	var err error
	s.once.Do(func() {
		s.gateway.Close()
		s.portal.Close()
		s.endMCP()
		err = errors.Join(s.forks.end(), s.Service.Close())
	})
	return err
}

// Reset deletes all records, faults, holds, logged requests and violations. The clock
// keeps running. Then the service gets the initial contents of its options again.
func (s *Service) Reset() {
	s.SetFaultFunc(nil)
	s.gateway.Reset()
	s.Service.Reset()
	s.Clear()
	if err := s.begin(); err != nil {
		s.log.Error("the fake service does not begin again as it is to", "error", err)
	}
}
