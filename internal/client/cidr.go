package client

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
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
		return netip.Prefix{}, notACIDR(s)
	}
	if prefix != prefix.Masked() {
		return netip.Prefix{}, fmt.Errorf("has bits set after its prefix; the block is %s", prefix.Masked())
	}
	return prefix, nil
}

// notACIDR says what is wrong with a block that cannot be parsed, with an example of
// its own kind.
func notACIDR(s string) error {
	host, length, _ := strings.Cut(s, "/")
	address, err := netip.ParseAddr(host)
	example := "203.0.113.0/24"
	if address.Is6() || strings.Contains(host, ":") {
		example = "2001:db8::/32"
	}
	if n, lengthErr := strconv.Atoi(length); err == nil && lengthErr == nil && n > address.BitLen() {
		return fmt.Errorf("has a prefix length of %d, but the longest for its kind of address is %d, as in %s", n, address.BitLen(), example)
	}
	return fmt.Errorf("is not a CIDR block, like %s", example)
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
		if block, ok := recordedBlock(cidr); ok {
			canonical[i] = block.String()
		}
	}
	slices.Sort(canonical)
	return slices.Compact(canonical)
}

// DistinctCIDRs is a record's list as a configuration may write it: each block once,
// in its first spelling, and without bits after its prefix. What cannot be read stays
// as it is.
func DistinctCIDRs(cidrs []string) []string {
	var distinct []string
	known := map[netip.Prefix]bool{}
	for _, cidr := range cidrs {
		block, ok := recordedBlock(cidr)
		if ok && known[block] {
			continue
		}
		known[block] = true
		if _, err := CanonicalCIDR(cidr); ok && err != nil {
			cidr = block.String()
		}
		distinct = append(distinct, cidr)
	}
	return distinct
}

// recordedBlock is the block of an element of a record's list, which may have bits
// after its prefix: they mean nothing, and only a configuration must not have them.
func recordedBlock(cidr string) (netip.Prefix, bool) {
	if block, err := CanonicalCIDR(cidr); err == nil {
		return block, true
	}
	block, err := netip.ParsePrefix(cidr)
	return block.Masked(), err == nil
}
