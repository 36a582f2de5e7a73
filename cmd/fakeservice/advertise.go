package main

import (
	"net"
	"regexp"
	"strconv"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
)

// hostName matches a DNS name or an IPv4 address.
var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)

// isHost reports whether a text is a name or an IPv4 address, without a port.
func isHost(text string) bool { return hostName.MatchString(text) }

// addresses returns the addresses of instances and apps. If a host is advertised, other
// machines reach this one by it, and instances and apps listen where the API does.
func addresses(s settings) publicaddr.Addresses {
	if s.advertise == "" {
		return publicaddr.Addresses{}
	}
	bind, _, err := net.SplitHostPort(s.listen)
	if err != nil || bind == "" && !s.allowRemote {
		bind = "127.0.0.1"
	}
	return publicaddr.Addresses{Host: s.advertise, Bind: bind, Ports: s.ports}
}

// rootURL is the address of the fake, without a path.
func rootURL(s settings, listening net.Addr) string {
	if s.advertise == "" {
		return "http://" + dialable(listening)
	}
	return "http://" + net.JoinHostPort(s.advertise, strconv.Itoa(loopback.Port(listening)))
}

// portalURL is the address at which checkouts are opened: the advertised host, or "" for
// the address at which the caller found the API.
func portalURL(s settings, root string) string {
	if s.advertise == "" {
		return ""
	}
	return root
}
