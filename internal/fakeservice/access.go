package fakeservice

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

func (st *state) getAllowlist(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	return answer(http.StatusOK, map[string]any{"allowlist": listOf(in.Allowlist)})
}

// setAllowlist replaces the list. An empty one opens the instance.
func (st *state) setAllowlist(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	var wanted struct{ Allowlist []string }
	if err := c.decode(&wanted); err != nil {
		return fail(err)
	}
	list := []string{}
	for _, entry := range wanted.Allowlist {
		canonical, err := canonicalAddress(entry)
		if err != nil {
			return fail(err)
		}
		if !slices.Contains(list, canonical) {
			list = append(list, canonical)
		}
	}
	j, err := st.startJob(in, jobSpec{
		operation: "allowlist",
		work:      applying(func(m *Machine) { m.Allowlist = list }),
		apply:     func() { in.Allowlist = list },
		event:     "allowlist",
		data:      func() map[string]any { return map[string]any{"allowlist": list} },
	})
	if err != nil {
		return fail(err)
	}
	return accepted(j)
}

// canonicalAddress gives the one spelling of an address or a CIDR block. A bare
// address stays bare; a block keeps only the bits that count.
func canonicalAddress(entry string) (string, error) {
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		return prefix.Masked().String(), nil
	}
	address, err := netip.ParseAddr(entry)
	if err != nil || address.Zone() != "" {
		return "", invalid("allowlist", "%q is neither an address nor a CIDR block", entry)
	}
	return address.String(), nil
}

func (st *state) getConsole(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	return answer(http.StatusOK, map[string]any{"mode": in.ConsoleMode})
}

func (st *state) setConsole(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	var wanted struct{ Mode string }
	if err := c.decode(&wanted); err != nil {
		return fail(err)
	}
	if !slices.Contains([]string{"off", "ro", "rw"}, wanted.Mode) {
		return fail(invalid("mode", "it must be off, ro or rw"))
	}
	// Closing what is not there is no mistake, opening it is.
	if _, on := in.Engines[EnginePostgres]; !on && wanted.Mode != "off" {
		return fail(noPostgres())
	}
	j, err := st.startJob(in, jobSpec{
		operation: "console",
		apply:     func() { in.ConsoleMode = wanted.Mode },
		event:     "console",
		data:      func() map[string]any { return map[string]any{"mode": wanted.Mode} },
	})
	if err != nil {
		return fail(err)
	}
	return accepted(j)
}

// isWebURL tells whether text is an absolute http or https URL.
func isWebURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && !strings.ContainsAny(text, " \t\n")
}
