package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports that the service serves: direct for sessions, pooled for ordinary
// transactions.
const (
	DirectPort = 5432
	PooledPort = 6432
)

// FindAddress finds a loopback address at which both ports are free, so that
// many instances have the service's own ports on one machine. It is random, as
// another fake may be looking too. Where a system has one loopback address
// alone, or all ports are taken, it is that one, and other ports have to do.
func FindAddress(ctx context.Context) string {
	for range 20 {
		// The lower half has addresses that systems use, such as 127.0.0.53.
		host := fmt.Sprintf("127.%d.%d.%d", 64+rand.IntN(64), rand.IntN(256), 1+rand.IntN(254))
		if isFree(ctx, host, DirectPort) && isFree(ctx, host, PooledPort) {
			return host
		}
	}
	return "127.0.0.1"
}

func isFree(ctx context.Context, host string, port int) bool {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// freePort finds a port that nothing listens on. Somebody may take it before
// it is used, so whoever uses it tries again with another.
func freePort(ctx context.Context, host string) (int, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	port := portOf(listener.Addr())
	return port, listener.Close()
}
