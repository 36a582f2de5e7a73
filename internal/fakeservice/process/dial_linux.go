package process

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// DialSocket connects to a Unix socket in a folder that a program in a sandbox writes to. It
// follows no link in place of the socket: the program could lead this one to a socket that
// the program itself cannot reach.
func DialSocket(ctx context.Context, path string) (net.Conn, error) {
	socket, err := os.OpenFile(path, unix.O_PATH|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer socket.Close()
	info, err := socket.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s is not a socket", path)
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, "unix", fmt.Sprintf("/proc/self/fd/%d", socket.Fd()))
}
