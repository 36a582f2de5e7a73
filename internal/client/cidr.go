package client

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// CanonicalCIDR parses a CIDR block or a bare address into its canonical form.
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
	prefix = unmapped(prefix)
	if prefix != prefix.Masked() {
		return netip.Prefix{}, fmt.Errorf("has bits set after its prefix; the block is %s", prefix.Masked())
	}
	return prefix, nil
}

// unmapped returns the IPv4 block that an IPv6 block maps (RFC 4291, 2.5.5.2), or the block
// itself.
func unmapped(block netip.Prefix) netip.Prefix {
	const mapped = 128 - 32
	if block.Addr().Is4In6() && block.Bits() >= mapped {
		return netip.PrefixFrom(block.Addr().Unmap(), block.Bits()-mapped)
	}
	return block
}

// ipv6Like matches what was probably meant as an IPv6 address, and no scheme, host name or
// port.
var ipv6Like = regexp.MustCompile(`^\[?[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%\w+)?\]?$`)

// notACIDR describes why a block cannot be parsed, with an example of the same address
// family.
func notACIDR(s string) error {
	host, length, _ := strings.Cut(s, "/")
	address, err := netip.ParseAddr(host)
	example := "203.0.113.0/24"
	if address.Is6() || ipv6Like.MatchString(host) {
		example = "2001:db8::/32"
	}
	if n, lengthErr := strconv.Atoi(length); err == nil && lengthErr == nil && n > address.BitLen() {
		return fmt.Errorf("has a prefix length of %d, but the longest for its kind of address is %d, as in %s", n, address.BitLen(), example)
	}
	return fmt.Errorf("is not a CIDR block, like %s", example)
}

// SameCIDRs reports whether two lists contain the same addresses, in whatever blocks. Elements
// that cannot be parsed are compared as text.
func SameCIDRs(a, b []string) bool {
	blocks, texts := coverage(a)
	others, otherTexts := coverage(b)
	return slices.Equal(blocks, others) && slices.Equal(texts, otherTexts)
}

// Covers reports whether a list contains all addresses of a block.
func Covers(cidrs []string, block netip.Prefix) bool {
	blocks, _ := coverage(cidrs)
	return slices.ContainsFunc(blocks, func(b netip.Prefix) bool { return b.Bits() <= block.Bits() && b.Contains(block.Addr()) })
}

// coverage returns the fewest blocks that contain the addresses of a list, sorted, and the
// elements that cannot be parsed.
func coverage(cidrs []string) (blocks []netip.Prefix, texts []string) {
	var all []netip.Prefix
	for _, cidr := range cidrs {
		if block, ok := recordedBlock(cidr); ok {
			all = append(all, block)
		} else {
			texts = append(texts, cidr)
		}
	}
	slices.SortFunc(all, netip.Prefix.Compare) // a block is before what it contains
	for _, block := range all {
		if n := len(blocks); n > 0 && blocks[n-1].Overlaps(block) {
			continue
		}
		// Two halves of a block become that block, which may be a half as well.
		for n := len(blocks); n > 0 && block.Bits() > 0; n = len(blocks) {
			whole := netip.PrefixFrom(block.Addr(), block.Bits()-1).Masked()
			if blocks[n-1].Bits() != block.Bits() || !whole.Contains(blocks[n-1].Addr()) {
				break
			}
			block, blocks = whole, blocks[:n-1]
		}
		blocks = append(blocks, block)
	}
	slices.Sort(texts)
	return blocks, slices.Compact(texts)
}

// DistinctCIDRs returns a record's list as a configuration may contain it: each block
// once, in its first spelling, and without bits after its prefix. Elements that cannot be
// parsed are kept unchanged.
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

// recordedBlock parses an element of a record's list. It ignores bits after the prefix,
// which are only forbidden in a configuration.
func recordedBlock(cidr string) (netip.Prefix, bool) {
	if block, err := CanonicalCIDR(cidr); err == nil {
		return block, true
	}
	block, err := netip.ParsePrefix(cidr)
	return unmapped(block).Masked(), err == nil
}
