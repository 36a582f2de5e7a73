package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The health check needs no token. It answers 503 until the service is ready, and then 200.
func TestHealth(t *testing.T) {
	t.Parallel()
	f := &front{}
	status := func() int {
		answer := httptest.NewRecorder()
		f.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:8080/healthz", nil))
		return answer.Code
	}
	if got := status(); got != http.StatusServiceUnavailable {
		t.Errorf("the answer during the start: got %d, want 503", got)
	}
	service := fakeservice.New(fakeservice.Options{})
	defer service.Close()
	f.open(service)
	if got := status(); got != http.StatusOK {
		t.Errorf("the answer after the start: got %d, want 200", got)
	}
}

// A signal during the start is not an error.
func TestStoppedWhileStarting(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, plane := range []string{planeAuto, planeOff} {
		if err := run(ctx, []string{"--listen", ":0", "--state", t.TempDir(), "--data-plane", plane}, io.Discard, io.Discard); err != nil {
			t.Errorf("with the data plane %s: got error %v, want none", plane, err)
		}
	}
	var said bytes.Buffer
	if err := unlessStopped(ctx, settings{}, &said, errors.New("killed")); err != nil || !strings.Contains(said.String(), "was stopped while it started") {
		t.Errorf("unlessStopped: got error %v and %q, want none and that the start was stopped", err, said.String())
	}
	if err := unlessStopped(t.Context(), settings{}, io.Discard, errors.New("no folder")); err == nil {
		t.Error("unlessStopped: got no error from a start that failed by itself, want one")
	}
}

// An incomplete, unauthenticated request keeps its connection only for a limited time.
func TestHalfARequest(t *testing.T) {
	t.Parallel()
	service := fakeservice.New(fakeservice.Options{})
	defer service.Close()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	server := fakeservice.NewHTTPServer(service, 50*time.Millisecond)
	defer server.Close()
	go func() { _ = server.Serve(listener) }()
	for _, half := range []string{
		"POST /api/v1/instances HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
		"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
		"POST /portal/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na",
		"POST /api/v1/instances HTTP/1.1\r\nHost",
	} {
		connection := must.Get(net.Dial("tcp", listener.Addr().String()))(t)
		fmt.Fprint(connection, half)
		// It ends when the server closes the connection, with a reset if the server has not
		// read everything.
		if _, err := io.ReadAll(connection); err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("the connection of %.30q: got error %v, want its end or a reset", half, err)
		}
		connection.Close()
	}
}
