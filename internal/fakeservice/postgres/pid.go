package postgres

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// PID is the number of the server's process, or 0 while none runs. It is read
// from the server's own file, so that no turn is needed to ask for it.
func (c *Cluster) PID() int {
	text, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0
	}
	return pid
}
