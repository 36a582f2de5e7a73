package portal

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// addressOf returns the address of a visitor, or "" if it is not known. Behind a proxy it is
// the address of the proxy, since anyone could write another into a header.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return ""
	}
	return address.Unmap().WithZone("").String()
}

// addMine returns a button that adds the visitor's address to an allowlist. There is none if
// the list names it or the address is not known.
func (c *call) addMine(action string, allowlist []string) []*form {
	mine := addressOf(c.r)
	if mine == "" || slices.Contains(allowlist, mine) {
		return nil
	}
	add := button("add-mine", action, "Add my address "+mine)
	add.Fields = []*field{{Name: "mine", Kind: hidden, Value: mine}}
	return []*form{add}
}

// allowlistOf returns the allowlist of a form: the typed list, or the present list with the
// visitor's address. If the present list has changed since the page was loaded, a typed list
// is refused once, because it would undo that change.
func (c *call) allowlistOf() ([]string, error) {
	present, err := c.Service.Allowlist(c.context(), c.instance())
	if err != nil {
		return nil, err
	}
	if !c.r.PostForm.Has("mine") {
		if c.r.PostForm.Get("before") != strings.Join(present.Allowlist, " ") {
			return nil, core.Refuse(core.ValidationError, "the allowlist has changed since this page was loaded; compare it with yours, and save again to replace it")
		}
		return listed(c.r.PostForm.Get("allowlist")), nil
	}
	mine := addressOf(c.r)
	if mine == "" {
		return nil, core.Refuse(core.ValidationError, "your address is not known")
	}
	if slices.Contains(present.Allowlist, mine) {
		return present.Allowlist, nil
	}
	return append(slices.Clone(present.Allowlist), mine), nil
}
