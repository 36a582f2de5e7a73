// Package outside says where instances and apps are reached, and listens there.
package outside

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
)

// Addresses says where instances and apps are reached. The zero value is at a loopback
// address of their own each, where every instance has the service's own ports. Otherwise
// all of them are at one host, which tells them apart by their ports: so it is with a
// container, of which others see a name and the ports that it publishes.
type Addresses struct {
	// Host is the name or the address by which others reach this machine.
	Host string
	// Bind is the address that is listened on; empty is all of the machine's.
	Bind string
	// Ports are those that may be taken; the zero value is any.
	Ports Ports
}

// Ports is a range of ports, both ends included.
type Ports struct{ First, Last int }

// ParsePorts reads a range such as 20000-20100.
func ParsePorts(text string) (Ports, error) {
	from, to, found := strings.Cut(text, "-")
	first, err := strconv.Atoi(from)
	last, otherErr := strconv.Atoi(to)
	if !found || err != nil || otherErr != nil || first < 1 || last > 65535 || first > last {
		return Ports{}, fmt.Errorf("%q is no range of ports such as 20000-20100", text)
	}
	return Ports{first, last}, nil
}

// String is the range as ParsePorts reads it.
func (p Ports) String() string { return fmt.Sprintf("%d-%d", p.First, p.Last) }

func (p Ports) has(port int) bool { return p.First <= port && port <= p.Last }

// Shared tells whether all instances and apps are at one host.
func (a Addresses) Shared() bool { return a.Host != "" }

// Name is how others know what listens on a loopback address of its own otherwise.
func (a Addresses) Name(own string) string {
	if a.Shared() {
		return a.Host
	}
	return own
}

// Listen listens where others reach what is at an address of its own, on the first of
// the ports that may be had, and on another one where none may. A port 0 is none.
func (a Addresses) Listen(ctx context.Context, own string, ports ...int) (net.Listener, error) {
	if a.Shared() {
		own = a.Bind
	}
	for _, port := range ports {
		if port == 0 || a.bounded() && !a.Ports.has(port) {
			continue
		}
		if listener, err := loopback.Listen(ctx, own, port); err == nil {
			return listener, nil
		}
	}
	if !a.bounded() {
		return loopback.Listen(ctx, own, 0)
	}
	var last error
	for port := a.Ports.First; port <= a.Ports.Last; port++ {
		listener, err := loopback.Listen(ctx, a.Bind, port)
		if err == nil {
			return listener, nil
		}
		last = err
	}
	return nil, fmt.Errorf("no port of %s is free any more: %w", a.Ports, last)
}

// bounded tells whether only some ports may be taken.
func (a Addresses) bounded() bool { return a.Shared() && a.Ports != (Ports{}) }

// Of is where others reach a listener, as host:port.
func (a Addresses) Of(listener net.Listener) string {
	if !a.Shared() {
		return listener.Addr().String()
	}
	return net.JoinHostPort(a.Host, strconv.Itoa(loopback.Port(listener.Addr())))
}
