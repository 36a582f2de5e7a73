// Package hostingtest runs a fake of the hosting service inside Go tests.
//
// The fake is stateful and keeps the service's rules: every change of an instance is a
// job, a second one is refused while the first runs, and each exchange is held to the
// API's document. Its clock runs as fast as a test wants, jobs can be held and made to
// fail, and requests can be made to go wrong on their way.
//
//	func TestModule(t *testing.T) {
//		service := hostingtest.Start(t)
//		service.Setenv(t) // HOSTING_BASE_URL and HOSTING_API_KEY
//		// Run Terraform, or anything that speaks the service's API.
//	}
//
// What is provisioned is a record and nothing runs for real: SQL is answered 503, and
// apps have addresses that lead nowhere.
package hostingtest

import (
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Speed is how fast the clock of a Service runs unless a test says otherwise: an
// instance, which takes eight minutes, takes half a second.
const Speed = 1000

// Option changes how a Service runs.
type Option func(*fakeservice.Options)

// WithSpeed makes the clock run so many times as fast as the real one, up to 10,000.
func WithSpeed(speed float64) Option {
	return func(o *fakeservice.Options) { o.Speed = speed }
}

// WithStart sets the time at which the clock begins; without it, it is the present.
func WithStart(start time.Time) Option {
	return func(o *fakeservice.Options) { o.Start = start }
}

// WithAPIKey sets the key that is valid; without it, it is a random one.
func WithAPIKey(key string) Option {
	return func(o *fakeservice.Options) { o.APIKey = key }
}

// WithLogger gives the log a line for each job and build, and at debug level for each
// request, without secrets; without it there is no log.
func WithLogger(log *slog.Logger) Option {
	return func(o *fakeservice.Options) { o.Logger = log }
}

// Service is a fake that listens on loopback.
type Service struct {
	// BaseURL is the address of the API, which ends in /api/v1, and APIKey the key for
	// it.
	BaseURL, APIKey string
	// PortalURL is the address of the portal: checkouts are opened there, and the pages
	// for people are below it at /portal. The account signs in with PortalPassword.
	PortalURL, PortalPassword string
	// MCPURL is the address of the MCP server, by Streamable HTTP; APIKey is its bearer
	// token too.
	MCPURL string

	fake   *fakeservice.Service
	server *httptest.Server
}

// Start serves a fake for one test, with no instance in it. When the test is over, each
// exchange that broke the API's document is an error of the test.
func Start(t testing.TB, options ...Option) *Service {
	t.Helper()
	s := New(options...)
	s.endWith(t)
	return s
}

// endWith ends the service with a test, and tells it what broke the document.
func (s *Service) endWith(t testing.TB) {
	t.Helper()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the fake service: %s", err)
		}
		for _, violation := range s.Violations() {
			t.Errorf("the exchange breaks the API's document: %s", violation)
		}
	})
}

// New is Start for what is no test, such as TestMain. Whoever calls it calls Close.
func New(options ...Option) *Service {
	settings := fakeservice.Options{Speed: Speed}
	for _, set := range options {
		set(&settings)
	}
	return serve(fakeservice.New(settings))
}

func serve(fake *fakeservice.Service) *Service {
	server := httptest.NewServer(fake)
	return &Service{
		BaseURL: server.URL + "/api/v1", APIKey: fake.APIKey(),
		PortalURL: server.URL, PortalPassword: fake.PortalPassword(),
		MCPURL: server.URL + "/mcp",
		fake:   fake, server: server,
	}
}

// Fork serves another fake, for the same test, that begins with what this one knows now:
// its records, its time and its jobs. It is another account with a key of its own, has none
// of the holds and faults, and goes its own way. A test that takes long to prepare forks what it has
// prepared, for each of its cases.
func (s *Service) Fork(t testing.TB) *Service {
	t.Helper()
	fake, err := s.fake.Fork(t.Context())
	if err != nil {
		t.Fatalf("fork the fake service: %s", err)
	}
	fork := serve(fake)
	fork.endWith(t)
	return fork
}

// Close ends the service.
func (s *Service) Close() error {
	// The fake goes first: it lets go of requests that a fault delays, for which the
	// server would wait.
	err := s.fake.Close()
	s.server.CloseClientConnections()
	s.server.Close()
	return err
}

// AccountID returns the id of the account, as GET /me shows it. It is random, so two
// services are two accounts, unless a Setup says what it is.
func (s *Service) AccountID() string { return s.fake.AccountID() }

// CreateKey makes another API key of the account, as a customer does at the portal, and
// returns its text.
func (s *Service) CreateKey(name string) (string, error) {
	made, err := s.fake.CreateKey(name)
	return made.Key, err
}

// Violations are the exchanges that broke the API's document, in words.
func (s *Service) Violations() []string { return s.fake.Violations() }

// Setenv sets HOSTING_BASE_URL and HOSTING_API_KEY for a test, where the provider finds
// them. As testing.T.Setenv, it is not for parallel tests.
func (s *Service) Setenv(t testing.TB) {
	t.Helper()
	for name, value := range s.Environment() {
		t.Setenv(name, value)
	}
}

// Environment is what a program needs in its environment to find the service, by name.
func (s *Service) Environment() map[string]string {
	return map[string]string{"HOSTING_BASE_URL": s.BaseURL, "HOSTING_API_KEY": s.APIKey}
}

// Now is the time by the service's clock.
func (s *Service) Now() time.Time { return s.fake.Now() }

// Advance moves the service's clock forward. What is due by then has happened when it
// returns.
func (s *Service) Advance(d time.Duration) { s.fake.Advance(d) }

// SetDuration says how long a job of an operation, such as "create", takes from now on by
// the service's clock; "build" stands for builds.
func (s *Service) SetDuration(operation string, d time.Duration) { s.fake.SetDuration(operation, d) }

// Reset forgets everything but the time, the keys and the account's id, and begins again with what WithSetup said.
func (s *Service) Reset() { s.fake.Reset() }

// PayCheckout finishes the checkout of an instance with a paid plan. It is an error
// where none is open.
func (s *Service) PayCheckout(instanceID string) error { return s.fake.PayCheckout(instanceID) }

// Push adds a commit to a branch of a repository and returns it. The next build takes
// it.
func (s *Service) Push(repo, branch string) string { return s.fake.Push(repo, branch) }
