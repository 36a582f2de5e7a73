// Package hostingtest runs a fake of the hosting service inside Go tests.
//
// The fake is stateful and follows the service's rules. Every change of an instance is a
// job, a second change is refused while the first one runs, and each exchange is checked
// against the API's document. A test sets the speed of the fake's clock, holds and fails
// jobs, and disrupts requests.
//
//	func TestModule(t *testing.T) {
//		service := hostingtest.Start(t)
//		service.Setenv(t) // HOSTING_BASE_URL and HOSTING_API_KEY
//		// Run Terraform, or any other client of the service's API.
//	}
//
// Instances are records only, and nothing is provisioned: SQL is answered with 503, and
// the URLs of apps lead nowhere.
package hostingtest

import (
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/testserver"
)

// Service is a fake that listens on loopback. It is safe for concurrent use.
type Service struct {
	// BaseURL is the address of the API, which ends in /api/v1. APIKey is its key.
	BaseURL, APIKey string
	// PortalURL is the address of the portal, where checkouts are opened. Its pages are
	// below /portal, and PortalPassword is the password to sign in there.
	PortalURL, PortalPassword string
	// MCPURL is the address of the MCP server, which uses Streamable HTTP. Its bearer token
	// is APIKey.
	MCPURL string

	fake *testserver.Server
}

// Start serves a fake without instances for one test, and closes it at the end of the
// test. The test fails if an exchange violated the API's document, unless
// WithViolations allows that.
func Start(t testing.TB, options ...Option) *Service {
	t.Helper()
	s := New(options...)
	s.fake.CloseAfter(t)
	return s
}

// New is like Start for code that is not a test, such as TestMain. The caller must call
// Close.
func New(options ...Option) *Service {
	settings := settings{service: fakeservice.Options{Speed: Speed}}
	for _, option := range options {
		option.set(&settings)
	}
	must(core.CheckSpeed(settings.service.Speed))
	s := serve(fakeservice.New(settings.service))
	s.fake.AllowViolations = settings.allowViolations
	return s
}

func serve(fake *fakeservice.Service) *Service {
	server := testserver.Serve(fake)
	return &Service{
		BaseURL: server.BaseURL, APIKey: server.APIKey(),
		PortalURL: server.RootURL, PortalPassword: server.PortalPassword(),
		MCPURL: server.MCPURL, fake: server,
	}
}

// Fork serves another fake for the same test that starts with a copy of this one's
// records, jobs and time. The fork is a different account with its own key, and has none
// of the holds and faults. A test with a slow preparation does it once, and forks the
// result for each of its cases.
func (s *Service) Fork(t testing.TB) *Service {
	t.Helper()
	fake, err := s.fake.Fork(t.Context())
	if err != nil {
		t.Fatalf("fork the fake service: %s", err)
	}
	fork := serve(fake)
	fork.fake.AllowViolations = s.fake.AllowViolations
	fork.fake.CloseAfter(t)
	return fork
}

// Close closes the service.
func (s *Service) Close() error { return s.fake.Close() }

// AccountID returns the id of the account, as in GET /me. It is random unless a Setup
// sets it, so two services are two accounts.
func (s *Service) AccountID() string { return s.fake.AccountID() }

// CreateKey creates another API key of the account, as a customer does at the portal, and
// returns its text.
func (s *Service) CreateKey(name string) (string, error) {
	made, err := s.fake.CreateKey(name)
	return made.Key, err
}

// Violations returns a description of each exchange that violated the API's document.
func (s *Service) Violations() []string { return s.fake.Violations() }

// Setenv sets HOSTING_BASE_URL and HOSTING_API_KEY, which the provider reads, for a test.
// Like testing.T.Setenv, it cannot be used in parallel tests.
func (s *Service) Setenv(t testing.TB) {
	t.Helper()
	for name, value := range s.Environment() {
		t.Setenv(name, value)
	}
}

// Environment returns the environment variables that programs use to find the service.
func (s *Service) Environment() map[string]string {
	return map[string]string{"HOSTING_BASE_URL": s.BaseURL, "HOSTING_API_KEY": s.APIKey}
}

// Now returns the time of the service's clock.
func (s *Service) Now() time.Time { return s.fake.Now() }

// Advance moves the service's clock forward. Everything that is due by then has happened
// when Advance returns. It panics if d is negative or leads beyond the year 9000.
func (s *Service) Advance(d time.Duration) {
	must(s.fake.CheckAdvance(d))
	s.fake.Advance(d)
}

// SetDuration sets how long future jobs of an operation, such as "create", take by the
// service's clock. The operation "build" sets the duration of builds. SetDuration
// panics if the operation does not exist or the duration is negative.
func (s *Service) SetDuration(operation string, d time.Duration) {
	must(core.CheckDuration(operation, d))
	s.fake.SetDuration(operation, d)
}

// Reset removes everything except the time, the keys and the account's id, and applies the
// Setup again.
func (s *Service) Reset() { s.fake.Reset() }

// PayCheckout completes the open checkout of an instance with a paid plan. It returns an
// error if the instance has no open checkout.
func (s *Service) PayCheckout(instanceID string) error { return s.fake.PayCheckout(instanceID) }

// Push adds a commit to a branch of a repository and returns the commit's id. The next
// build of the branch uses it.
func (s *Service) Push(repo, branch string) string { return s.fake.Push(repo, branch) }
