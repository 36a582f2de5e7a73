// Package fakeservicetest starts the fake service for this project's own tests. Package
// hostingtest does so for users, and exposes less of the fake.
package fakeservicetest

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/testserver"
)

// APIKey is the API key of every fake that Start serves.
const APIKey = "fake-api-key"

// Server is a fake that listens on loopback.
type Server struct {
	*fakeservice.Service
	// BaseURL is the address of the API; it ends in /api/v1.
	BaseURL string
	// RootURL is the part of BaseURL before /api/v1.
	RootURL string
	// MCPURL is the address of the MCP server.
	MCPURL string
}

// nowhere is a Storage that forgets everything.
type nowhere struct{}

func (nowhere) Read() (map[string][]byte, error) { return map[string][]byte{}, nil }
func (nowhere) Write(map[string][]byte) error    { return nil }
func (nowhere) Close() error                     { return nil }

// Start serves a fake for one test, at the pace of the real service. At the end of the
// test, each exchange that violated the OpenAPI document is reported as an error. So is
// each changed record that would not be written to storage.
func Start(t testing.TB, opts ...func(*fakeservice.Options)) *Server {
	t.Helper()
	o := fakeservice.Options{Speed: 1, APIKey: APIKey}
	for _, set := range opts {
		set(&o)
	}
	countEvidence(t, &o)
	if o.Storage == nil {
		o.Storage = nowhere{}
	}
	server := testserver.Serve(fakeservice.New(o))
	server.CloseAfter(t)
	t.Cleanup(func() {
		for _, key := range server.Unwritten() {
			t.Errorf("%s has changed and would not be written down", key)
		}
	})
	return &Server{Service: server.Service, BaseURL: server.BaseURL, RootURL: server.RootURL, MCPURL: server.MCPURL}
}
