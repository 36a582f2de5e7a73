package postgres

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// PID returns the id of the server's process, or 0 if none runs. It reads the server's own
// file and does not need the turn.
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
