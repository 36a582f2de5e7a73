package webhooks

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
)

// network returns the real network. It checks each connection when its address is known and
// before it is made, so no name, however it resolves, leads to a forbidden target. It uses
// no proxy, which would resolve names itself, and uses no connection twice.
func (o Options) network(loopbackOnly bool) http.RoundTripper {
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return o.admit(to.Addr(), loopbackOnly)
	}}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: o.Authorities, MinVersion: tls.VersionTLS12},
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: answerRead,
	}
}

// admit returns an error unless deliveries may go to an address. loopbackOnly is set for
// unencrypted deliveries.
func (o Options) admit(to netip.Addr, loopbackOnly bool) error {
	to = reached(to)
	switch {
	case to.IsLoopback():
		if !o.Loopback {
			return fmt.Errorf("%s is this machine, where the fake delivers nothing unless it is told to", to)
		}
		return nil
	case loopbackOnly:
		return fmt.Errorf("%s is another machine, and only https leads there", to)
	case isForbidden(to):
		return fmt.Errorf("%s is not an address of a receiver", to)
	}
	return nil
}

// isForbidden reports whether an address belongs to a network itself, or is one at which
// clouds serve a machine's credentials.
func isForbidden(to netip.Addr) bool {
	if to.IsUnspecified() || to.IsMulticast() || to.IsLinkLocalUnicast() {
		return true
	}
	for _, own := range forbidden {
		if own.Contains(to) {
			return true
		}
	}
	return false
}

// forbidden are addresses that no name should lead a delivery to, in addition to link-local
// ones, which include the metadata service of most clouds (169.254.169.254).
var forbidden = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),          // this network
	netip.MustParsePrefix("255.255.255.255/32"), // broadcast
	netip.MustParsePrefix("fd00:ec2::/32"),      // metadata at Amazon
	netip.MustParsePrefix("fd20:ce::254/128"),   // metadata at Google
	netip.MustParsePrefix("100.100.100.200/32"), // metadata at Alibaba
	netip.MustParsePrefix("168.63.129.16/32"),   // the host of a machine at Azure
	netip.MustParsePrefix("192.0.0.192/32"),     // metadata at Oracle
}

// The IPv6 prefixes under which an IPv4 address is reached, and the position of that
// address in the sixteen bytes.
var translated = map[netip.Prefix]int{
	netip.MustParsePrefix("64:ff9b::/96"):    12, // NAT64
	netip.MustParsePrefix("64:ff9b:1::/48"):  12, // NAT64 with a local prefix (RFC 8215)
	netip.MustParsePrefix("::ffff:0:0:0/96"): 12, // translated (RFC 2765)
	netip.MustParsePrefix("2002::/16"):       2,  // 6to4
	netip.MustParsePrefix("::/96"):           12, // IPv4-compatible
}

// reached returns the effective address: for an IPv4 address in the form of IPv6, the IPv4
// address.
func reached(to netip.Addr) netip.Addr {
	to = to.Unmap().WithZone("")
	if !to.Is6() || to == netip.IPv6Loopback() || to.IsUnspecified() {
		return to
	}
	bytes := to.As16()
	for prefix, at := range translated {
		if prefix.Contains(to) {
			return netip.AddrFrom4([4]byte(bytes[at : at+4]))
		}
	}
	return to
}
