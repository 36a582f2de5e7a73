package client

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// CanonicalCIDR is the one spelling of a CIDR block or bare address.
func CanonicalCIDR(s string) (netip.Prefix, error) {
	if !strings.Contains(s, "/") {
		address, err := netip.ParseAddr(s)
		if err != nil || address.Zone() != "" {
			return netip.Prefix{}, errors.New("is neither an IP address nor a CIDR block, like 203.0.113.7 or 203.0.113.0/24")
		}
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(s)
	if err != nil {
		return netip.Prefix{}, errors.New("is no CIDR block like 203.0.113.0/24")
	}
	if prefix != prefix.Masked() {
		return netip.Prefix{}, fmt.Errorf("has bits set behind its prefix; the block is %s", prefix.Masked())
	}
	return prefix, nil
}

// SameCIDRs tells whether two lists let the same addresses in, element by
// element. What cannot be read is compared as it is written.
func SameCIDRs(a, b []string) bool {
	return slices.Equal(canonicalCIDRs(a), canonicalCIDRs(b))
}

func canonicalCIDRs(cidrs []string) []string {
	canonical := make([]string, len(cidrs))
	for i, cidr := range cidrs {
		canonical[i] = cidr
		if prefix, err := CanonicalCIDR(cidr); err == nil {
			canonical[i] = prefix.String()
		}
	}
	slices.Sort(canonical)
	return slices.Compact(canonical)
}
