package provider

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// canonicalCIDR is the one spelling of a CIDR block or bare address.
func canonicalCIDR(s string) (netip.Prefix, error) {
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

// sameCIDRs tells whether two lists let the same addresses in, element by
// element. What cannot be read is compared as it is written.
func sameCIDRs(a, b []string) bool {
	return slices.Equal(canonicalCIDRList(a), canonicalCIDRList(b))
}

func canonicalCIDRList(cidrs []string) []string {
	canonical := make([]string, len(cidrs))
	for i, cidr := range cidrs {
		canonical[i] = cidr
		if prefix, err := canonicalCIDR(cidr); err == nil {
			canonical[i] = prefix.String()
		}
	}
	slices.Sort(canonical)
	return slices.Compact(canonical)
}

// elementsOf are the known elements of a set of strings.
func elementsOf(set types.Set) []string {
	var elements []string
	for _, element := range set.Elements() {
		if s, ok := element.(types.String); ok && !s.IsUnknown() {
			elements = append(elements, s.ValueString())
		}
	}
	return elements
}

// cidrSet validates a set of CIDR blocks and bare addresses. Two spellings of
// one block are an error: a set can only hold what it says.
type cidrSet struct{}

func (cidrSet) Description(context.Context) string {
	return "each element must be an IP address or a CIDR block, and no two the same"
}

func (v cidrSet) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (cidrSet) ValidateSet(_ context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	spelled := map[netip.Prefix]string{}
	for _, cidr := range elementsOf(req.ConfigValue) {
		at := req.Path.AtSetValue(types.StringValue(cidr))
		prefix, err := canonicalCIDR(cidr)
		if err != nil {
			resp.Diagnostics.AddAttributeError(at, "Invalid address", fmt.Sprintf("%q %s.", cidr, err))
			continue
		}
		if other, ok := spelled[prefix]; ok {
			resp.Diagnostics.AddAttributeError(at, "Duplicate address", fmt.Sprintf("%q and %q are the same block. Keep one of them.", cidr, other))
		}
		spelled[prefix] = cidr
	}
}

// canonicalCIDRs plans no change for another spelling of the same list.
type canonicalCIDRs struct{}

func (canonicalCIDRs) Description(context.Context) string {
	return "another spelling of the same addresses is no change"
}

func (m canonicalCIDRs) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (canonicalCIDRs) PlanModifySet(_ context.Context, req planmodifier.SetRequest, resp *planmodifier.SetResponse) {
	if req.StateValue.IsNull() || req.PlanValue.IsUnknown() || hasUnknown(req.PlanValue) {
		return
	}
	if sameCIDRs(elementsOf(req.StateValue), elementsOf(req.PlanValue)) {
		resp.PlanValue = req.StateValue
	}
}

func hasUnknown(set types.Set) bool {
	return slices.ContainsFunc(set.Elements(), func(v attr.Value) bool { return v.IsUnknown() })
}
