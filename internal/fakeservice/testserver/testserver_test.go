package testserver_test

import (
	"net/http"
	"net/http/httptrace"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/testserver"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The end of one server leaves the connections of http.DefaultTransport to others open, so
// that it cannot break a request of a test that runs at the same time.
func TestCloseLeavesOtherConnections(t *testing.T) {
	one, other := testserver.Serve(fakeservice.New(fakeservice.Options{})), testserver.Serve(fakeservice.New(fakeservice.Options{}))
	one.CloseAfter(t)
	if reused := get(t, one.RootURL+"/healthz"); reused {
		t.Fatal("the first request: got a reused connection, want a new one")
	}
	must.Do(t, other.Close())
	if reused := get(t, one.RootURL+"/healthz"); !reused {
		t.Error("the request after the end of another server: got a new connection, want the reused one")
	}
}

// get sends a request with http.DefaultTransport, and reports whether it reused a
// connection.
func get(t *testing.T, address string) (reused bool) {
	t.Helper()
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused }}
	request := must.Get(http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodHead, address, nil))(t)
	response, err := http.DefaultClient.Do(request)
	must.Do(t, err)
	must.Do(t, response.Body.Close())
	return reused
}
