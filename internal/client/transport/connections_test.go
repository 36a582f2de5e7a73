package transport

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transporttest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// newNetwork returns a sender whose requests go through a network to a handler.
func newNetwork(t *testing.T, http2 bool, handler http.HandlerFunc, options ...func(*Options)) (*Sender, *transporttest.Network) {
	t.Helper()
	n := transporttest.NewNetwork(t, http2, handler, NewTransport)
	c, _ := newTestSender(t, nil, append(options, at("https://example.com/api/v1"), func(o *Options) { o.RoundTripper = n })...)
	return c, n
}

// As many operations as with -parallelism=50 open at most as many connections, and keep
// using them.
func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	const parallelism, rounds = 50, 10
	var accepted atomic.Int64
	var together sync.WaitGroup // one round: it is answered once all its requests have arrived
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
	c, _ := newTestSender(t, nil, at(server.URL+"/api/v1"), func(o *Options) { o.RoundTripper = nil })
	for range rounds {
		together.Add(parallelism)
		var all sync.WaitGroup
		for range parallelism {
			all.Go(func() {
				must.Report(t, readMe(t.Context(), c))
			})
		}
		all.Wait()
	}
	// An additional one may have been opened while a used one became free.
	if n := accepted.Load(); n > parallelism+rounds {
		t.Errorf("connections for %d requests at a time: got %d, want at most %d", parallelism, n, parallelism+rounds)
	}
}

// A connection on which a request timed out may be dead. The next attempt opens another.
func TestConnectionThatTimedOutIsLeft(t *testing.T) {
	for _, http2 := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			const timeout = 10 * time.Second // less than a ping takes to detect it
			c, n := newNetwork(t, http2, says(200, object{"id": "me"}), func(o *Options) { o.RequestTimeout = timeout })
			must.Do(t, readMe(t.Context(), c))
			n.Silence()
			begun := time.Now()
			if err := readMe(t.Context(), c); err != nil {
				t.Errorf("HTTP/2 %v: got error %v, want none", http2, err)
			}
			if took := time.Since(begun); took < timeout || took > timeout+backoffBase || n.Dials() != 2 {
				t.Errorf("HTTP/2 %v: got %d connections and an answer after %s, want 2 and one after %s", http2, n.Dials(), took, timeout)
			}
		})
	}
}

// If the first connection of a client falls silent before any answer, a read is sent again
// on another connection before the service counts as dead.
func TestFirstConnectionFallsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n *transporttest.Network
		silence := sync.OnceFunc(func() { n.Silence() })
		c, opened := newNetwork(t, true, func(w http.ResponseWriter, _ *http.Request) {
			silence()
			respond(w, 200, object{"id": "me"})
		})
		n = opened
		begun := time.Now()
		err := readMe(t.Context(), c)
		if took := time.Since(begun); err != nil || took > outageLimit || n.Dials() != 2 {
			t.Errorf("got %v after %s with %d connections, want an answer within %s with 2", err, took, n.Dials(), outageLimit)
		}
	})
}

// A create request with a slow answer is not aborted because a concurrent read timed out.
func TestRequestInFlightOutlivesATimeoutBesideIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = time.Minute
		reads := inTurn(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, says(200, object{"id": "me"}))
		var posts atomic.Int64
		c, n := newNetwork(t, true, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				reads(w, r)
				return
			}
			posts.Add(1)
			time.Sleep(timeout - time.Second)
			respond(w, 200, object{})
		}, func(o *Options) { o.RequestTimeout = timeout })
		c.http.HTTPClient.Transport.(*attempts).outage.known = true
		read := make(chan error)
		go func() { err := readMe(t.Context(), c); read <- err }()
		time.Sleep(timeout / 2)
		if err := post(t.Context(), c); err != nil || posts.Load() != 1 {
			t.Errorf("POST: got error %v and %d POSTs, want none and 1", err, posts.Load())
		}
		if err := <-read; err != nil || n.Dials() != 2 {
			t.Errorf("GET: got error %v and %d connections, want none and 2", err, n.Dials())
		}
	})
}

// A POST in flight keeps its connection when the idle ones are closed. Once the connection is
// idle, it is closed, too, and the next request opens another.
func TestRequestInFlightOutlivesTheIdleConnections(t *testing.T) {
	for _, http2 := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var posts atomic.Int64
			c, n := newNetwork(t, http2, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					posts.Add(1)
					time.Sleep(30 * time.Second)
				}
				respond(w, 200, object{"id": "me"})
			})
			posted := make(chan error)
			go func() { err := post(t.Context(), c); posted <- err }()
			synctest.Wait()
			c.CloseIdleConnections()
			if err := <-posted; err != nil || posts.Load() != 1 || n.Dials() != 1 {
				t.Errorf("HTTP/2 %v: got %d POSTs on %d connections, want 1 on 1: %v", http2, posts.Load(), n.Dials(), err)
			}
			c.CloseIdleConnections()
			if err := readMe(t.Context(), c); err != nil || n.Dials() != 2 {
				t.Errorf("HTTP/2 %v: got %d connections after the idle one was closed, want 2: %v", http2, n.Dials(), err)
			}
		})
	}
}

// A connection that died while idle is closed by a ping, so that no request must time out
// on it. If only the server is slow, it answers pings and the connection is kept.
func TestPingFindsADeadConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, n := newNetwork(t, true, func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(50 * time.Second)
			respond(w, 200, object{"id": "me"})
		})
		c.http.HTTPClient.Transport.(*attempts).outage.known = true
		for _, dials := range []int{1, 2} {
			begun := time.Now()
			if err := readMe(t.Context(), c); err != nil || n.Dials() != dials || time.Since(begun) != 50*time.Second {
				t.Errorf("GET: got error %v, %d connections and %s, want none, %d and 50s", err, n.Dials(), time.Since(begun), dials)
			}
			n.Silence()
			time.Sleep(pingAfter + pingTimeout + time.Second)
		}
	})
}
