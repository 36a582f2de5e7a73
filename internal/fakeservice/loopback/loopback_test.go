package loopback_test

import (
	"net"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// An address that was found free or that was closed can be used, even if programs start at
// the same time. A new program keeps this process's sockets open until it runs.
func TestFreeWhileProgramsStart(t *testing.T) {
	t.Parallel()
	start := func() error { return exec.CommandContext(t.Context(), "true").Run() }
	// The first start of a process in Go probes the system's features with another fork.
	must.Do(t, start())
	done := make(chan struct{})
	var starting sync.WaitGroup
	for range 4 {
		starting.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if err := start(); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	defer starting.Wait()
	defer close(done)
	const port = 5432
	for range 500 {
		host := loopback.Address(t.Context(), port)
		listener := must.Get(net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port))))(t)
		must.Do(t, listener.Close())
		must.Do(t, must.Get(loopback.ListenAgain(t.Context(), listener.Addr().String()))(t).Close())
	}
}
