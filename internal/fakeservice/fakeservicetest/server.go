// Package fakeservicetest starts the fake service for this project's own tests: as package
// hostingtest does for anybody's, with the knobs that are kept from others.
package fakeservicetest

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// APIKey is the key of every fake that Start serves.
const APIKey = "fake-api-key"

// Server is a fake that listens on loopback.
type Server struct {
	*fakeservice.Service
	// BaseURL is the address of the API; it ends in /api/v1.
	BaseURL string
	// RootURL is what is before that.
	RootURL string
	// MCPURL is the address of the MCP server.
	MCPURL string
}

// nowhere is a Storage that forgets everything.
type nowhere struct{}

func (nowhere) Read() (map[string][]byte, error) { return map[string][]byte{}, nil }
func (nowhere) Write(map[string][]byte) error    { return nil }
func (nowhere) Close() error                     { return nil }

// Start serves a fake for one test, at the pace of the real service. When the test is
// over, each exchange that broke the OpenAPI document is an error of the test, and so is
// each record that has changed and would not be written down.
func Start(t testing.TB, opts ...func(*fakeservice.Options)) *Server {
	t.Helper()
	var made *fakeservice.Service
	options := []hostingtest.Option{hostingtest.WithSpeed(1), hostingtest.WithAPIKey(APIKey)}
	for _, set := range opts {
		options = append(options, set)
	}
	options = append(options, func(o *fakeservice.Options) {
		countEvidence(t, o)
		o.Made = func(s *fakeservice.Service) { made = s }
		if o.Storage == nil {
			o.Storage = nowhere{}
		}
	})
	server := hostingtest.Start(t, options...)
	t.Cleanup(func() {
		for _, key := range made.Unwritten() {
			t.Errorf("%s has changed and would not be written down", key)
		}
	})
	return &Server{Service: made, BaseURL: server.BaseURL, RootURL: server.PortalURL, MCPURL: server.MCPURL}
}
