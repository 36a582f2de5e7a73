package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// head says on which machine the numbers were measured, and how to measure them again.
type head struct {
	Date     time.Time `json:"date"`
	Command  string    `json:"command"`
	Machine  string    `json:"machine"`
	Go       string    `json:"go"`
	CLI      string    `json:"cli"`
	Revision string    `json:"revision"`
}

func (h head) print(out io.Writer) {
	fmt.Fprintf(out, "%s, on %s\n%s, %s, at revision %s\n%s\n", h.Date.UTC().Format("2006-01-02 15:04 MST"), h.Machine, h.CLI, h.Go, h.Revision, h.Command)
}

// thisMachine returns the processor, its number of cores, and the system.
func thisMachine() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	name := runtime.GOARCH
	if err == nil {
		name = processor(text, name)
	}
	return fmt.Sprintf("%s, %d cores, %s", name, runtime.NumCPU(), runtime.GOOS)
}

// processor returns the processor's name from Linux's list, or the given text if the list
// has no name.
func processor(cpuinfo []byte, otherwise string) string {
	for lines := bufio.NewScanner(bytes.NewReader(cpuinfo)); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return otherwise
}

// revision returns the tree's commit, and whether it was changed since. It returns
// "unknown" outside a repository.
func revision(tree string) string {
	describe := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=10") //nolint:noctx // git describe needs no cancellation
	describe.Dir = tree
	text, err := describe.Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}
