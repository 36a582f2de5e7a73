package fakeservicetest

import (
	"math/rand/v2"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
)

// FreePorts returns a range of n ports that are free at every address. They are below those
// that the system assigns, and random, because another test may be looking at the same
// time.
func FreePorts(t testing.TB, n int) publicaddr.Ports {
	t.Helper()
	for range 1000 {
		first := 20000 + rand.IntN(12000-n)
		free := true
		for port := first; port < first+n && free; port++ {
			free = loopback.IsFree(t.Context(), "", port)
		}
		if free {
			return publicaddr.Ports{First: first, Last: first + n - 1}
		}
	}
	t.Fatalf("no %d ports in a row are free", n)
	return publicaddr.Ports{}
}
