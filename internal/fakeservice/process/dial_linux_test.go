package process

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// DialSocket connects to a socket, and to nothing that leads to one.
func TestDialSocket(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	socket, link, file := filepath.Join(folder, "socket"), filepath.Join(folder, "link"), filepath.Join(folder, "file")
	listener := must.Get(net.Listen("unix", socket))(t)
	defer listener.Close()
	must.Do(t, os.Symlink(socket, link))
	must.Do(t, os.WriteFile(file, nil, 0o600))
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
