package core

import (
	"context"
	"math"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Allowlist returns the instance's allowlist.
func (s *Service) Allowlist(ctx context.Context, id string) (AllowlistRecord, error) {
	return lookAt(ctx, s, id, func(_ *state, in *instance) (AllowlistRecord, error) {
		return AllowlistRecord{listOf(in.Allowlist)}, nil
	})
}

// AllowlistRecord is an allowlist as the API shows it.
type AllowlistRecord struct {
	Allowlist []string `json:"allowlist"`
}

// SetAllowlist replaces the list. An empty list opens the instance to every address.
func (s *Service) SetAllowlist(id string, wanted []string) (Accepted, error) {
	return s.mutate(id, func(*state, *instance) (jobKind, error) {
		list := []string{}
		for _, entry := range wanted {
			canonical, err := canonicalAddress(entry)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(list, canonical) {
				list = append(list, canonical)
			}
		}
		return &allowlistJob{list}, nil
	})
}

// allowlistJob sets which addresses may connect.
type allowlistJob struct{ Allowlist []string }

func (j *allowlistJob) spec(_ *state, in *instance) jobSpec {
	return jobSpec{
		change: func(m *DesiredMachine) { m.Allowlist = slices.Clone(j.Allowlist) },
		work:   applyChange,
		apply:  func() { in.Allowlist = slices.Clone(j.Allowlist) },
		data:   func() map[string]any { return map[string]any{"allowlist": j.Allowlist} },
	}
}

// OpensToAll reports whether a list lets everybody connect: an empty list, or one whose
// blocks together cover more than any one owner has. That is two /8 of IPv4, or two /16 of
// IPv6. So both halves of the internet count, each by itself.
func OpensToAll(list []string) bool {
	var blocks []netip.Prefix
	for _, entry := range list {
		canonical, _ := canonicalAddress(entry)
		if block, err := netip.ParsePrefix(canonical); err == nil { // bare addresses add nothing
			blocks = append(blocks, block)
		}
	}
	slices.SortFunc(blocks, func(a, b netip.Prefix) int { return a.Bits() - b.Bits() })
	var ipv4, ipv6 float64 // shares of what opens to all
	for i, block := range blocks {
		inside := func(larger netip.Prefix) bool { return larger.Contains(block.Addr()) }
		switch {
		case slices.ContainsFunc(blocks[:i], inside): // it is counted already
		case block.Addr().Is4():
			ipv4 += math.Exp2(float64(7 - block.Bits()))
		default:
			ipv6 += math.Exp2(float64(15 - block.Bits()))
		}
	}
	return len(list) == 0 || ipv4 >= 1 || ipv6 >= 1
}

// canonicalAddress returns the canonical form of an address or a CIDR block. A bare
// address stays bare. The host bits of a block are cleared. An IPv4 address that is
// mapped to IPv6 becomes the IPv4 address, because connections come from that one.
func canonicalAddress(entry string) (string, error) {
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		if mapped := 128 - 32; prefix.Addr().Is4In6() {
			if prefix.Bits() < mapped {
				return "", invalid("allowlist", "%q contains IPv4 and IPv6 addresses: give each its own block", entry)
			}
			prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-mapped)
		}
		return prefix.Masked().String(), nil
	}
	address, err := netip.ParseAddr(entry)
	if err != nil || address.Zone() != "" {
		return "", invalid("allowlist", "%q is neither an address nor a CIDR block", entry)
	}
	return address.Unmap().String(), nil
}

// ConsoleRecord is the SQL console's mode as the API shows it.
type ConsoleRecord struct {
	Mode string `json:"mode"`
}

// Console returns the mode of the instance's SQL console.
func (s *Service) Console(ctx context.Context, id string) (ConsoleRecord, error) {
	return lookAt(ctx, s, id, func(_ *state, in *instance) (ConsoleRecord, error) {
		return ConsoleRecord{in.ConsoleMode}, nil
	})
}

// SetConsole sets the mode of the SQL console: off, ro or rw.
func (s *Service) SetConsole(id, mode string) (Accepted, error) {
	return s.mutate(id, func(_ *state, in *instance) (jobKind, error) {
		if err := checkWord("mode", mode, consoleModes); err != nil {
			return nil, err
		}
		// Turning the console off without postgres is allowed; turning it on is an error.
		if _, on := in.Engines[EnginePostgres]; !on && mode != "off" {
			return nil, noPostgres()
		}
		return &consoleJob{mode}, nil
	})
}

// consoleJob sets the mode of the SQL console.
type consoleJob struct{ Mode string }

func (j *consoleJob) spec(_ *state, in *instance) jobSpec {
	return jobSpec{
		apply: func() { in.ConsoleMode = j.Mode },
		data:  func() map[string]any { return map[string]any{"mode": j.Mode} },
	}
}

// isAbsoluteURL reports whether text is an absolute URL of any scheme, as apps on phones
// have their own.
func isAbsoluteURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (isWebURL(text) || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" && u.Opaque == "")
}

// isWebURL reports whether text is an absolute http or https URL.
func isWebURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.ContainsAny(text, " \t\n")
}
