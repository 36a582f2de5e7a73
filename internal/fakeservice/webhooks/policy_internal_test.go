package webhooks

import (
	"net/netip"
	"testing"
)

func TestAdmit(t *testing.T) {
	t.Parallel()
	const everybody, loopback, nobody = "https", "loopback", "nobody"
	for address, who := range map[string]string{
		"203.0.113.7": everybody, "10.0.0.7": everybody, "192.168.1.2": everybody, "2001:db8::1": everybody, "fd12::1": everybody, "64:ff9b::cb00:7107": everybody,
		"127.0.0.1": loopback, "127.8.9.1": loopback, "::1": loopback, "::ffff:127.0.0.1": loopback, "64:ff9b::7f00:1": loopback, "2002:7f00:1::": loopback, "::127.0.0.1": loopback, "64:ff9b:1::7f00:1": loopback, "::ffff:0:7f00:1": loopback,
		"169.254.169.254": nobody, "169.254.1.1": nobody, "::ffff:169.254.169.254": nobody, "64:ff9b::a9fe:a9fe": nobody, "2002:a9fe:a9fe::1": nobody,
		"64:ff9b:1::a9fe:a9fe": nobody, "::ffff:0:a9fe:a9fe": nobody,
		"fe80::1": nobody, "fe80::1%eth0": nobody, "fd00:ec2::254": nobody, "fd20:ce::254": nobody, "100.100.100.200": nobody, "168.63.129.16": nobody, "192.0.0.192": nobody,
		"0.0.0.0": nobody, "0.1.2.3": nobody, "::": nobody, "224.0.0.1": nobody, "ff02::1": nobody, "255.255.255.255": nobody,
	} {
		to := netip.MustParseAddr(address)
		for _, told := range []bool{false, true} {
			o := Options{Loopback: told}
			secure, plain := o.admit(to, false) == nil, o.admit(to, true) == nil
			wantPlain := who == loopback && told
			if wantSecure := wantPlain || who == everybody; secure != wantSecure || plain != wantPlain {
				t.Errorf("%s with loopback %t: got https %t and http %t, want https %t and http %t", address, told, secure, plain, wantSecure, wantPlain)
			}
		}
	}
}
