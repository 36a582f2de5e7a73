package simulation

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// A connection is a process's connection to the service. Once it is silent, it delivers no
// answers, and does not end by itself.
type connection struct {
	*process
	silent atomic.Bool
}

var _ transport.Dialer = (*process)(nil)

// Open opens a connection of the process.
func (p *process) Open() client.Transport { return &connection{process: p} }

type connectionKey struct{}

// fallsSilent makes the connection of a request silent.
func fallsSilent(r *http.Request) {
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
		c.silent.Store(true)
	}
}

// onSilent reports whether the connection of a request has fallen silent, so that no answer
// arrives on it.
func onSilent(r *http.Request) bool {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	return ok && c.silent.Load()
}

// RoundTrip carries a request of the process. On a connection that is silent, or becomes so
// during the request, the client waits until it gives up.
func (c *connection) RoundTrip(r *http.Request) (*http.Response, error) {
	if !c.silent.Load() {
		made, err := c.process.RoundTrip(r.WithContext(context.WithValue(r.Context(), connectionKey{}, c)))
		if !c.silent.Load() {
			return made, err
		}
		if made != nil {
			_ = made.Body.Close() // no client receives it
		}
	}
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-c.world.over:
		return nil, errors.New("the world has ended")
	}
}

// checkConnections checks that nothing ends with a timeout if the only fault is a silent
// connection. Later attempts use a new connection, and find a creation whose answer was
// lost.
//
// There are exceptions. The outcome of a request to a failed machine may be unknown. So may
// a creation that made nothing: it was refused, or sent before the silence could be
// noticed.
func (w *world) checkConnections(r *run) {
	w.mu.Lock()
	now := w.weather
	w.mu.Unlock()
	if now == nil || len(now.strikes) == 0 || r.command.interrupted() || r.command.killed() ||
		slices.ContainsFunc(now.strikes, func(f *falling) bool { return f.Kind != goesSilent || f.Times > 1 || f.For > 0 }) ||
		w.anyTouchedSince(r.command.began) { // a creation that a person has changed no longer equals its request
		return
	}
	for _, e := range r.errors() {
		says := func(text string) bool { return strings.Contains(e.text, text) }
		if says("the request timed out") && (!says("it is unknown whether") || says("did not appear within") && r.hasLeft(e.address)) {
			w.violate(leftAlone, "%s of %s: %s", e.during, e.address, e.text)
		}
	}
}
