// Package publicaddr determines the addresses of instances and apps, and listens there.
package publicaddr

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
)

// Addresses determines the addresses of instances and apps. With the zero value, each has
// its own loopback address, so every instance has the service's standard ports. Otherwise
// all of them share one host and differ by their ports. That suits a container, of which
// clients see only a name and the published ports.
type Addresses struct {
	// Host is the name or the address by which other machines reach this one.
	Host string
	// Bind is the address that is listened on; empty means all addresses of the machine.
	Bind string
	// Ports are the ports that may be used; the zero value allows any.
	Ports Ports
}

// Ports is a range of ports, both ends included.
type Ports struct{ First, Last int }

// ParsePorts parses a range such as 20000-20100.
func ParsePorts(text string) (Ports, error) {
	from, to, found := strings.Cut(text, "-")
	first, err := strconv.Atoi(from)
	last, otherErr := strconv.Atoi(to)
	if !found || err != nil || otherErr != nil || first < 1 || last > 65535 || first > last {
		return Ports{}, fmt.Errorf("%q is not a port range such as 20000-20100", text)
	}
	return Ports{first, last}, nil
}

// String returns the range in the form of ParsePorts.
func (p Ports) String() string { return fmt.Sprintf("%d-%d", p.First, p.Last) }

func (p Ports) has(port int) bool { return p.First <= port && port <= p.Last }

// Shared reports whether all instances and apps share one host.
func (a Addresses) Shared() bool { return a.Host != "" }

// Name returns the public name of a program that otherwise listens on its own loopback
// address.
func (a Addresses) Name(own string) string {
	if a.Shared() {
		return a.Host
	}
	return own
}

// Listen listens at the public address of a program whose own address is the argument. It
// uses the first available port of the list, or another port if none is available. A port 0
// is skipped.
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

// bounded reports whether only some ports may be used.
func (a Addresses) bounded() bool { return a.Shared() && a.Ports != (Ports{}) }

// Of returns the public address of a listener, as host:port.
func (a Addresses) Of(listener net.Listener) string {
	if !a.Shared() {
		return listener.Addr().String()
	}
	return net.JoinHostPort(a.Host, strconv.Itoa(loopback.Port(listener.Addr())))
}
