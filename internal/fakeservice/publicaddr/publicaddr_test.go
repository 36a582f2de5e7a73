package publicaddr_test

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestParsePorts(t *testing.T) {
	t.Parallel()
	if ports, err := publicaddr.ParsePorts("20000-20100"); err != nil || ports != (publicaddr.Ports{20000, 20100}) || ports.String() != "20000-20100" {
		t.Errorf("ParsePorts: got %v and error %v, want 20000-20100", ports, err)
	}
	for _, text := range []string{"", "20000", "a-b", "2-1", "0-1", "1-65536", "1-2-3", "-1-2"} {
		if ports, err := publicaddr.ParsePorts(text); err == nil {
			t.Errorf("ParsePorts(%q): got %v, want an error", text, ports)
		}
	}
}

// Without a host, each listener gets its own address, at the wanted port or a free one.
func TestAddressesOfTheirOwn(t *testing.T) {
	t.Parallel()
	var a publicaddr.Addresses
	first := listen(t, a, 0)
	port := loopback.Port(first.Addr())
	other := listen(t, a, port)
	if loopback.Port(other.Addr()) == port || a.Name("127.0.0.1") != "127.0.0.1" || a.Of(first) != "127.0.0.1:"+strconv.Itoa(port) {
		t.Errorf("the second listener: got %s, want another port than that of %s", other.Addr(), first.Addr())
	}
}

// With a host and a range, each listener gets a port of the range until none is left. It
// gets the wanted port if that is in the range and free.
func TestRangeOfPorts(t *testing.T) {
	t.Parallel()
	ports := fakeservicetest.FreePorts(t, 3)
	a := publicaddr.Addresses{Host: "fake.test", Bind: "127.0.0.1", Ports: ports}
	wanted := listen(t, a, ports.Last)
	if got := a.Of(wanted); got != "fake.test:"+strconv.Itoa(ports.Last) || a.Name("127.9.9.9") != "fake.test" {
		t.Errorf("the address of the last port: got %s, want port %d of fake.test", got, ports.Last)
	}
	seen := map[int]bool{ports.Last: true}
	for range 2 {
		port := loopback.Port(listen(t, a, 5432).Addr())
		if seen[port] || port < ports.First || port > ports.Last {
			t.Errorf("a port: got %d, want one of %s other than %v", port, ports, seen)
		}
		seen[port] = true
	}
	if _, err := a.Listen(t.Context(), "127.0.0.1", 5432); err == nil || !strings.Contains(err.Error(), "no port of "+ports.String()) {
		t.Errorf("a fourth of three ports: got error %v, want one with \"no port of %s\"", err, ports)
	}
}

func listen(t *testing.T, a publicaddr.Addresses, port int) net.Listener {
	t.Helper()
	listener := must.Get(a.Listen(t.Context(), "127.0.0.1", port))(t)
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}
