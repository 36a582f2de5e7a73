package main

import (
	"net"
	"regexp"
	"strconv"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/outside"
)

// hostName is a name as DNS has them, or an IPv4 address.
var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)

// isHost tells whether a text is a name or an IPv4 address, without a port.
func isHost(text string) bool { return hostName.MatchString(text) }

// addresses says where instances and apps are: where the API listens too, for who reaches
// this machine by the host that is advertised.
func addresses(s settings) outside.Addresses {
	if s.advertise == "" {
		return outside.Addresses{}
	}
	bind, _, err := net.SplitHostPort(s.listen)
	if err != nil || bind == "" && !s.allowRemote {
		bind = "127.0.0.1"
	}
	return outside.Addresses{Host: s.advertise, Bind: bind, Ports: s.ports}
}

// rootURL is the address of the fake, without a path.
func rootURL(s settings, listening net.Addr) string {
	if s.advertise == "" {
		return "http://" + dialable(listening)
	}
	return "http://" + net.JoinHostPort(s.advertise, strconv.Itoa(loopback.Port(listening)))
}

// portalURL is where checkouts are opened: where the caller found the API, or at the host
// that is advertised.
func portalURL(s settings, root string) string {
	if s.advertise == "" {
		return ""
	}
	return root
}
