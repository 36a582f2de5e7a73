// Package processes lists running processes, so that tests can show that none is left, and
// captures their output. It reads /proc and needs no program for it.
package processes

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Process is a running process. Zombies do not count.
type Process struct {
	ID, Parent, Group int
	// Arguments is the program and its arguments, separated by spaces.
	Arguments string
	// started distinguishes the process from a later one with the same id.
	started string
}

// List returns every process. The test is skipped if the system does not show processes as
// files.
func List(t testing.TB) []Process {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(folders) == 0 {
		t.Skip("this system does not show its processes as files")
	}
	var list []Process
	for _, folder := range folders {
		if p, ok := read(folder); ok {
			list = append(list, p)
		}
	}
	return list
}

// read reads one process, which may end during the call.
func read(folder string) (Process, bool) {
	stat, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return Process{}, false
	}
	// The name, in parentheses, may contain anything. After it come the state, the parent
	// and the group; the time of the start is the twentieth field.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return Process{}, false
	}
	p := Process{started: fields[19]}
	numbers := strings.Join([]string{filepath.Base(folder), fields[1], fields[2]}, " ")
	if _, err := fmt.Sscan(numbers, &p.ID, &p.Parent, &p.Group); err != nil {
		return Process{}, false
	}
	arguments, err := os.ReadFile(filepath.Join(folder, "cmdline"))
	if err != nil {
		return Process{}, false
	}
	p.Arguments = string(bytes.TrimSpace(bytes.ReplaceAll(arguments, []byte{0}, []byte(" "))))
	return p, true
}

// With returns the processes with a text in their arguments.
func With(t testing.TB, text string) []Process {
	t.Helper()
	return slices.DeleteFunc(List(t), func(p Process) bool { return !strings.Contains(p.Arguments, text) })
}

// Below returns the descendants of a process whose ancestors are alive.
func Below(t testing.TB, id int) []Process {
	t.Helper()
	list := List(t)
	var found []Process
	for ids := []int{id}; len(ids) > 0; ids = ids[1:] {
		for _, p := range list {
			if p.Parent == ids[0] {
				found, ids = append(found, p), append(ids, p.ID)
			}
		}
	}
	return found
}

// Left returns the given processes that still run.
func Left(t testing.TB, of []Process) []Process {
	t.Helper()
	now := List(t)
	return slices.DeleteFunc(slices.Clone(of), func(p Process) bool {
		return !slices.ContainsFunc(now, func(q Process) bool { return p.ID == q.ID && p.started == q.started })
	})
}

// String identifies the process in a test's output.
func (p Process) String() string { return fmt.Sprintf("%d (%s)", p.ID, p.Arguments) }
