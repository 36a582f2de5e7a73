package client

import (
	"net/netip"
	"slices"
	"testing"
)

func TestCanonicalCIDR(t *testing.T) {
	for raw, want := range map[string]string{
		"203.0.113.7":            "203.0.113.7/32",
		"203.0.113.0/24":         "203.0.113.0/24",
		"0.0.0.0/0":              "0.0.0.0/0",
		"2001:DB8::1":            "2001:db8::1/128",
		"2001:db8::/32":          "2001:db8::/32",
		"::ffff:203.0.113.7":     "203.0.113.7/32",
		"::ffff:203.0.113.0/120": "203.0.113.0/24",
		"::ffff:203.0.113.7/128": "203.0.113.7/32",
		"::ffff:203.0.113.7/120": "",
		"::ffff:0.0.0.0/95":      "",
		"203.0.113.7/24":         "",
		"203.0.113.0/33":         "",
		"fe80::1%eth0":           "",
		"example.com":            "",
		"":                       "",
	} {
		got, err := CanonicalCIDR(raw)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("CanonicalCIDR(%q) = %s, %v, want %q", raw, got, err, want)
		}
	}
}

func TestCanonicalCIDRSaysWhatIsWrong(t *testing.T) {
	for raw, want := range map[string]string{
		"203.0.113.0/33":  "has a prefix length of 33, but the longest for its kind of address is 32, as in 203.0.113.0/24",
		"::1/129":         "has a prefix length of 129, but the longest for its kind of address is 128, as in 2001:db8::/32",
		"203.0.113.0/":    "is not a CIDR block, like 203.0.113.0/24",
		"2001:db8::/-1":   "is not a CIDR block, like 2001:db8::/32",
		"2001:db8:::1/64": "is not a CIDR block, like 2001:db8::/32",
		"example/8":       "is not a CIDR block, like 203.0.113.0/24",

		"https://203.0.113.7":     "is not a CIDR block, like 203.0.113.0/24",
		"https://203.0.113.7:443": "is not a CIDR block, like 203.0.113.0/24",
		"203.0.113.7:443/32":      "is not a CIDR block, like 203.0.113.0/24",
		"localhost:8080/16":       "is not a CIDR block, like 203.0.113.0/24",
		"cafe:8080/16":            "is not a CIDR block, like 203.0.113.0/24",
		"tcp::1/32":               "is not a CIDR block, like 203.0.113.0/24",
		"[2001:db8::]/32":         "is not a CIDR block, like 2001:db8::/32",
		"fe80::1%eth0/64":         "is not a CIDR block, like 2001:db8::/32",
		"2001:db8::1/":            "is not a CIDR block, like 2001:db8::/32",
		"203.0.113.7:443":         "is neither an IP address nor a CIDR block, like 203.0.113.7 or 203.0.113.0/24",
		"203.0.113.7/24":          "has bits set after its prefix; the block is 203.0.113.0/24",
	} {
		if _, err := CanonicalCIDR(raw); err == nil || err.Error() != want {
			t.Errorf("CanonicalCIDR(%q): got error %v, want %q", raw, err, want)
		}
	}
}

func TestSameCIDRs(t *testing.T) {
	for _, row := range []struct {
		a, b []string
		want bool
	}{
		{[]string{"203.0.113.7", "::/0"}, []string{"::/0", "203.0.113.7/32"}, true},
		{[]string{"203.0.113.7", "203.0.113.7/32"}, []string{"203.0.113.7"}, true},
		{nil, []string{}, true},
		{[]string{"203.0.113.7"}, nil, false},
		{[]string{"203.0.113.7"}, []string{"203.0.113.8"}, false},
		{[]string{"what is this"}, []string{"what is this"}, true},
		{[]string{"203.0.113.7/24", "203.0.113.9/24"}, []string{"203.0.113.0/24"}, true},
		{[]string{"203.0.113.7/24"}, []string{"203.0.113.7"}, false},
		{[]string{"::ffff:203.0.113.0/120"}, []string{"203.0.113.0/24"}, true},
		{[]string{"::ffff:203.0.113.9/120"}, []string{"203.0.113.0/24"}, true},
		{[]string{"203.0.113.128/25", "203.0.113.0/25"}, []string{"203.0.113.0/24"}, true},
		{[]string{"203.0.113.0/25", "203.0.113.192/26", "203.0.113.128/26"}, []string{"203.0.113.0/24"}, true},
		{[]string{"10.0.0.0/8", "10.1.0.0/16", "10.255.255.255"}, []string{"10.0.0.0/8"}, true},
		{[]string{"10.0.1.0/24", "10.0.2.0/24"}, []string{"10.0.0.0/22"}, false}, // neighbours, not halves
		{[]string{"203.0.113.0/25"}, []string{"203.0.113.0/24"}, false},
		{[]string{"203.0.113.0/24"}, []string{"203.0.112.0/23"}, false},
		{[]string{"0.0.0.0/0", "::/0"}, nil, false},
		{[]string{"0.0.0.0/0"}, []string{"::/0"}, false},
		{[]string{"what is this", "203.0.113.7"}, []string{"203.0.113.7"}, false},
	} {
		if got := SameCIDRs(row.a, row.b); got != row.want {
			t.Errorf("SameCIDRs(%v, %v) = %v, want %v", row.a, row.b, got, row.want)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, row := range []struct {
		cidrs []string
		block string
		want  bool
	}{
		{[]string{"0.0.0.0/0"}, "0.0.0.0/0", true},
		{[]string{"0.0.0.0/1", "128.0.0.0/1"}, "0.0.0.0/0", true},
		{[]string{"192.0.0.0/2", "0.0.0.0/2", "128.0.0.0/2", "64.0.0.0/2"}, "0.0.0.0/0", true},
		{[]string{"0.0.0.0/1", "128.0.0.0/2"}, "0.0.0.0/0", false},
		{[]string{"::/1", "8000::/1"}, "::/0", true},
		{[]string{"::/0"}, "0.0.0.0/0", false},
		{[]string{"0.0.0.0/0"}, "::/0", false},
		{[]string{"10.0.0.0/8"}, "10.1.0.0/16", true},
		{[]string{"10.1.0.0/16"}, "10.0.0.0/8", false},
		{nil, "0.0.0.0/0", false},
		{[]string{"what is this"}, "0.0.0.0/0", false},
	} {
		if got := Covers(row.cidrs, netip.MustParsePrefix(row.block)); got != row.want {
			t.Errorf("Covers(%q, %s) = %t, want %t", row.cidrs, row.block, got, row.want)
		}
	}
}

func TestDistinctCIDRs(t *testing.T) {
	for _, row := range []struct{ recorded, want []string }{
		{nil, nil},
		{[]string{"203.0.113.7", "2001:DB8::1"}, []string{"203.0.113.7", "2001:DB8::1"}},
		{[]string{"203.0.113.7", "203.0.113.7/32"}, []string{"203.0.113.7"}},
		{[]string{"203.0.113.7/24", "203.0.113.0/24", "2001:db8::1/64"}, []string{"203.0.113.0/24", "2001:db8::/64"}},
		{[]string{"what is this", "nor this"}, []string{"what is this", "nor this"}},
	} {
		if got := DistinctCIDRs(row.recorded); !slices.Equal(got, row.want) {
			t.Errorf("DistinctCIDRs(%q) = %q, want %q", row.recorded, got, row.want)
		}
	}
}
