// Package fakeservicetest starts the fake service for tests.
package fakeservicetest

import (
	"net/http/httptest"
	"testing"

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
}

// Start serves a fake for one test. When the test is over, each exchange that
// broke the OpenAPI document is an error of the test.
func Start(t testing.TB, opts ...func(*fakeservice.Options)) *Server {
	t.Helper()
	options := fakeservice.Options{APIKey: APIKey}
	for _, set := range opts {
		set(&options)
	}
	countEvidence(t, &options)
	service := fakeservice.New(options)
	server := httptest.NewServer(service)
	t.Cleanup(func() {
		// The service goes first: it lets go of requests that a fault delays,
		// for which the server would wait.
		if err := service.Close(); err != nil {
			t.Errorf("close the fake service: %s", err)
		}
		server.CloseClientConnections()
		server.Close()
		for _, violation := range service.Violations() {
			t.Errorf("the exchange breaks the API document: %s", violation)
		}
	})
	return &Server{Service: service, BaseURL: server.URL + "/api/v1", RootURL: server.URL}
}
