package acceptance

import (
	"fmt"
	"net"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// reserveAddress returns a loopback address that refuses connections until listenAt
// listens there. The address stays reserved while the test runs. A port that is merely
// free could be taken by a parallel test.
func reserveAddress(t *testing.T) string {
	t.Helper()
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	must(t, err == nil, "%v", err)
	t.Cleanup(func() { unix.Close(socket) })
	unix.CloseOnExec(socket)
	err = shareAddress(socket)
	must(t, err == nil, "%v", err)
	err = unix.Bind(socket, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	must(t, err == nil, "%v", err)
	bound, err := unix.Getsockname(socket)
	must(t, err == nil, "%v", err)
	return fmt.Sprintf("127.0.0.1:%d", bound.(*unix.SockaddrInet4).Port)
}

// listenAt listens at a reserved address.
func listenAt(t *testing.T, address string) net.Listener {
	t.Helper()
	listening := net.ListenConfig{Control: func(_, _ string, socket syscall.RawConn) (err error) {
		if failed := socket.Control(func(fd uintptr) { err = shareAddress(int(fd)) }); failed != nil {
			return failed
		}
		return err
	}}
	listener, err := listening.Listen(t.Context(), "tcp", address)
	must(t, err == nil, "%v", err)
	return listener
}

// shareAddress lets several sockets bind to the same address.
func shareAddress(socket int) error {
	return unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
}
