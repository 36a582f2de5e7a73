package process

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// DialSocket connects to a socket, and to nothing that leads to one.
func TestDialSocket(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	socket, link, file := filepath.Join(folder, "socket"), filepath.Join(folder, "link"), filepath.Join(folder, "file")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := os.Symlink(socket, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, reached := range map[string]bool{socket: true, link: false, file: false, filepath.Join(folder, "missing"): false} {
		connection, err := DialSocket(t.Context(), path)
		if err == nil {
			connection.Close()
		}
		if (err == nil) != reached {
			t.Errorf("%s: got error %v, want one: %t", filepath.Base(path), err, !reached)
		}
	}
}
