// Package loopback finds addresses and ports of this machine that nothing
// listens on.
package loopback

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
	"time"
)

// Shared is the loopback address that every system has.
const Shared = "127.0.0.1"

// Address finds a loopback address at which all of the ports are free, so that
// many programs have the same port on one machine. It is random, as another
// program may be looking too. Where a system has one loopback address alone, or
// the ports are taken everywhere, it is Shared, and other ports have to do.
func Address(ctx context.Context, ports ...int) string {
	for range 20 {
		// The lower half has addresses that systems use, such as 127.0.0.53.
		host := fmt.Sprintf("127.%d.%d.%d", 64+rand.IntN(128), rand.IntN(256), 1+rand.IntN(254))
		if allFree(ctx, host, ports) {
			return host
		}
	}
	return Shared
}

func allFree(ctx context.Context, host string, ports []int) bool {
	for _, port := range ports {
		if !IsFree(ctx, host, port) {
			return false
		}
	}
	return true
}

// IsFree tells whether nothing listens on a port.
func IsFree(ctx context.Context, host string, port int) bool {
	_, err := try(ctx, host, port)
	return err == nil
}

// FreePort finds a port that nothing listens on. Somebody may take it before it
// is used, so whoever uses it tries again with another.
func FreePort(ctx context.Context, host string) (int, error) {
	return try(ctx, host, 0)
}

// try listens on a port, and no longer when it returns. No program is started meanwhile:
// until it runs it would hold the listener as well, and the port would not be free yet.
func try(ctx context.Context, host string, port int) (tried int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	listener, err := Listen(ctx, host, port)
	if err != nil {
		return 0, err
	}
	return Port(listener.Addr()), listener.Close()
}

// Listen listens on a port, or on a free one for 0.
func Listen(ctx context.Context, host string, port int) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
}

// letGo is how long a program that was being started may hold what this one has closed.
const letGo = 5 * time.Second

// ListenAgain listens on an address such as 127.0.0.1:80, on which this process listened
// until now. A program that was being started when it stopped still holds it for a moment.
func ListenAgain(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		listener, err := config.Listen(ctx, "tcp", address)
		if !errors.Is(err, syscall.EADDRINUSE) || time.Since(began) > letGo {
			return listener, err
		}
	}
}

// Port is the port of a TCP address, and 0 of any other.
func Port(address net.Addr) int {
	if tcp, ok := address.(*net.TCPAddr); ok {
		return tcp.Port
	}
	return 0
}
