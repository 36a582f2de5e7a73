package client

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// As many operations as -parallelism=50 runs make as many connections at most, and go
// on with those.
func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	const parallelism, rounds = 50, 10
	var accepted atomic.Int64
	var together sync.WaitGroup // of one round: it is answered once all of it has come
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		together.Done()
		together.Wait()
		respond(w, 200, object{"id": "me"})
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			accepted.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	c, err := New(Options{BaseURL: server.URL + "/api/v1", APIKey: "key-of-the-test"})
	if err != nil {
		t.Fatal(err)
	}
	c.http.HTTPClient.Transport.(*attempts).limiter.window = parallelism
	for range rounds {
		together.Add(parallelism)
		var all sync.WaitGroup
		for range parallelism {
			all.Go(func() {
				if _, err := c.Account(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	// One more may have been begun while one in use became free.
	if n := accepted.Load(); n > parallelism+rounds {
		t.Errorf("%d connections for %d requests at a time", n, parallelism)
	}
}
