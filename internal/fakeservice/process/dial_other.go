//go:build !linux

package process

import (
	"context"
	"net"
)

// DialSocket connects to a Unix socket. This system has no sandbox.
func DialSocket(ctx context.Context, path string) (net.Conn, error) {
	var dialer net.Dialer
	return dialer.DialContext(ctx, "unix", path)
}
