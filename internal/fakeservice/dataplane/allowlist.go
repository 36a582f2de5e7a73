package dataplane

import (
	"net/netip"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// allowlistOf returns the blocks from which the machine's engines accept connections. An
// empty list accepts every address.
func allowlistOf(wanted core.DesiredMachine) ([]netip.Prefix, error) {
	var blocks []netip.Prefix
	for _, entry := range wanted.Allowlist {
		block, err := blockOf(entry)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// blockOf parses an entry of an allowlist, which is an address or a CIDR block.
func blockOf(entry string) (netip.Prefix, error) {
	if strings.Contains(entry, "/") {
		return netip.ParsePrefix(entry)
	}
	address, err := netip.ParseAddr(entry)
	if err != nil {
		return netip.Prefix{}, err
	}
	return netip.PrefixFrom(address, address.BitLen()), nil
}
