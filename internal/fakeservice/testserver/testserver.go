// Package testserver serves a fake on loopback for Go tests. Package hostingtest exposes it
// to users, and fakeservicetest starts this project's own fakes with it.
package testserver

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Server is a fake that listens on loopback.
type Server struct {
	*fakeservice.Service
	// BaseURL is the address of the API, which ends in /api/v1. RootURL is the part before
	// that, and the address of the portal. MCPURL is the address of the MCP server.
	BaseURL, RootURL, MCPURL string

	// AllowViolations lets exchanges violate the API's document.
	AllowViolations bool

	listener *httptest.Server
}

// Serve starts a server. Its caller must call Close or CloseAfter.
func Serve(fake *fakeservice.Service) *Server {
	listener := httptest.NewServer(fake)
	return &Server{
		Service: fake, BaseURL: listener.URL + "/api/v1", RootURL: listener.URL, MCPURL: listener.URL + "/mcp",
		listener: listener,
	}
}

// CloseAfter closes the server at the end of a test. Each exchange that violated the API's
// document is then an error of the test.
func (s *Server) CloseAfter(t testing.TB) {
	t.Helper()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the fake service: %s", err)
		}
		for _, violation := range s.violations() {
			t.Errorf("the exchange breaks the API's document: %s", violation)
		}
	})
}

// violations returns the violations that are errors.
func (s *Server) violations() []string {
	if s.AllowViolations {
		return nil
	}
	return s.Violations()
}

// Close closes the server and the fake.
func (s *Server) Close() error {
	// httptest.Server.Close would also close the idle connections of http.DefaultTransport.
	// A request of a test that runs at the same time can fail then: a connection counts as
	// idle a moment before its client has received a response without a body.
	return errors.Join(s.Service.Close(), s.listener.Config.Close())
}
