// Package loopback finds free loopback addresses and ports of this machine.
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

// Address returns a loopback address at which all of the ports are free, so that many
// programs can have the same port on one machine. It is random, because another program may
// be looking at the same time. If the system has only one loopback address, or the ports
// are taken everywhere, it returns Shared, and the caller needs other ports.
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

// IsFree reports whether no program listens on a port.
func IsFree(ctx context.Context, host string, port int) bool {
	_, err := try(ctx, host, port)
	return err == nil
}

// FreePort returns a free port. Another program may take it first, so callers try again
// with a new port.
func FreePort(ctx context.Context, host string) (int, error) {
	return try(ctx, host, 0)
}

// try listens on a port and stops before it returns. It prevents this process from starting
// a program in the meantime: a new program inherits the listener until it execs, and the
// port would not be free yet.
func try(ctx context.Context, host string, port int) (tried int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	listener, err := Listen(ctx, host, port)
	if err != nil {
		return 0, err
	}
	return Port(listener.Addr()), listener.Close()
}

// Listen listens on a port; 0 takes a free one.
func Listen(ctx context.Context, host string, port int) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
}

// letGo is the maximum time that a starting program keeps sockets open that this process
// has closed.
const letGo = 5 * time.Second

// ListenAgain listens on an address such as 127.0.0.1:80 that this process has just stopped
// listening on. A program that was starting then keeps it open for a moment.
func ListenAgain(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		listener, err := config.Listen(ctx, "tcp", address)
		if !errors.Is(err, syscall.EADDRINUSE) || time.Since(began) > letGo {
			return listener, err
		}
	}
}

// Port returns the port of a TCP address, and 0 for any other address.
func Port(address net.Addr) int {
	if tcp, ok := address.(*net.TCPAddr); ok {
		return tcp.Port
	}
	return 0
}
