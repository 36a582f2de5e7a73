package settings

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// Sets of addresses that a list can let in completely.
const (
	allAddresses     = "every address"
	allIPv4Addresses = "every IPv4 address"
	allIPv6Addresses = "every IPv6 address"
)

// opensTo names the set of addresses that a list of CIDR blocks lets in completely, or
// returns "" if there is none.
func opensTo(cidrs []string) string {
	v4 := client.Covers(cidrs, netip.PrefixFrom(netip.IPv4Unspecified(), 0))
	v6 := client.Covers(cidrs, netip.PrefixFrom(netip.IPv6Unspecified(), 0))
	switch {
	case v4 && v6:
		return allAddresses
	case v4:
		return allIPv4Addresses
	case v6:
		return allIPv6Addresses
	}
	return ""
}

// opensMore reports whether a list lets in addresses that the list before it did not. It
// compares the results of opensTo.
func opensMore(before, after string) bool {
	return after != "" && after != before && before != allAddresses
}

// cidrSet validates a set of CIDR blocks and bare addresses. Two spellings of one block
// are an error.
type cidrSet struct{}

func (cidrSet) Description(context.Context) string {
	return "each element must be an IP address or a CIDR block, and no two the same"
}

func (v cidrSet) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateSet leaves what a mock may have made to PlanModifySet (attributes.IsMocked).
func (v cidrSet) ValidateSet(_ context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	spelled := map[netip.Prefix]string{}
	for _, cidr := range attributes.ElementsOf(req.ConfigValue) {
		if cidr == "" || attributes.IsMocked(cidr) {
			continue // NoEmptyElement refuses an empty one
		}
		at := req.Path.AtSetValue(types.StringValue(cidr))
		prefix, err := client.CanonicalCIDR(cidr)
		if err != nil {
			refuseAddress(cidr, err, at, &resp.Diagnostics)
			continue
		}
		if other, ok := spelled[prefix]; ok {
			resp.Diagnostics.AddAttributeError(at, "Duplicate address", fmt.Sprintf("%q and %q are the same block. Keep one of them.", cidr, other))
		}
		spelled[prefix] = cidr
	}
}

// PlanModifySet refuses what ValidateSet leaves to it.
func (cidrSet) PlanModifySet(_ context.Context, req planmodifier.SetRequest, resp *planmodifier.SetResponse) {
	for _, cidr := range attributes.ElementsOf(req.ConfigValue) {
		if _, err := client.CanonicalCIDR(cidr); err != nil && attributes.IsMocked(cidr) {
			refuseAddress(cidr, err, req.Path.AtSetValue(types.StringValue(cidr)), &resp.Diagnostics)
		}
	}
}

func refuseAddress(cidr string, err error, at path.Path, diags *diag.Diagnostics) {
	diags.AddAttributeError(at, "Invalid address", fmt.Sprintf("%q %s.", cidr, err))
}

func hasUnknown(set types.Set) bool {
	return slices.ContainsFunc(set.Elements(), func(v attr.Value) bool { return v.IsUnknown() })
}
