package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Limits of a sandbox, unless the machine has little memory.
const (
	mostMemory    = 4 << 30
	mostProcesses = 512
)

// limitsHere returns the limits of a sandbox on this machine. Two sandboxes at their limit
// must not use up its memory.
func limitsHere() Limits {
	l := Limits{Memory: mostMemory, Processes: mostProcesses}
	var machine unix.Sysinfo_t
	if unix.Sysinfo(&machine) == nil {
		l.Memory = min(l.Memory, int64(machine.Totalram)*int64(machine.Unit)/2) // the types differ by architecture
	}
	return l
}

// guardEvery is the time between two measurements of the sandboxes.
const guardEvery = 250 * time.Millisecond

// guard watches all sandboxes of this program, and ends those that exceed their limits. The
// kernel has limits for one process and for one user, but not for a sandbox, unless this
// program may create control groups.
type guard struct {
	mu      sync.Mutex
	watched map[*Process]Limits
}

var guarding = &guard{watched: map[*Process]Limits{}}

// watch watches the sandbox of a process until it ends.
func (g *guard) watch(p *Process, l Limits) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.watched[p] = l
	if len(g.watched) == 1 {
		go g.run()
	}
}

// run watches until there is nothing to watch.
func (g *guard) run() {
	for g.remaining() {
		time.Sleep(guardEvery)
		g.measure()
	}
}

// measure ends the sandboxes that exceed their limits. A sandbox with too many processes is
// ended as soon as that is known, because they leave this program little time.
func (g *guard) measure() {
	g.mu.Lock()
	defer g.mu.Unlock()
	sandboxes := map[string]*Process{}
	own := namespaceOf(os.Getpid()) // another process may have the id of an ended one
	for p := range g.watched {
		if namespace := namespaceOf(p.pid); namespace != "" && namespace != own {
			sandboxes[namespace] = p
		}
	}
	inside := map[*Process][]int{}
	of := map[int]*Process{}
	for _, pid := range visible() {
		namespace := namespaceOf(pid)
		p := sandboxes[namespace]
		if namespace == "" {
			p = of[parentOf(pid)]
		}
		if p == nil {
			continue
		}
		of[pid] = p
		inside[p] = append(inside[p], pid)
		if len(inside[p]) == g.watched[p].Processes+1 {
			p.end(g.watched[p].exceeded(Limits{Processes: len(inside[p])}))
		}
	}
	for p, all := range inside {
		limits := g.watched[p]
		p.end(limits.exceeded(Limits{Memory: memoryOf(all, limits.Memory)}))
	}
}

// end ends a program for a reason, unless the reason is nil.
func (p *Process) end(reason *LimitError) {
	if reason != nil {
		p.exceeded.CompareAndSwap(nil, reason)
		p.Signal(os.Kill)
	}
}

// remaining forgets the ended processes, and reports whether any are left.
func (g *guard) remaining() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for p := range g.watched {
		if p.HasEnded() {
			delete(g.watched, p)
		}
	}
	return len(g.watched) > 0
}

// visible returns the ids of the processes that this program can see.
func visible() (all []int) {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1) // a part is better than nothing
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// namespaceOf returns the process namespace of a process, or "" if the process has ended or
// hides it.
func namespaceOf(pid int) string {
	link, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid))
	return link
}

// parentOf returns the parent of a process, or 0 if it has ended. A program's name is in
// parentheses, and may have some itself. The parent is the second field after it.
func parentOf(pid int) int {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

// memoryOf returns the memory that processes use together. Shared memory counts several
// times at first, which is fast to find out, and once if that exceeds a limit.
func memoryOf(all []int, limit int64) (used int64) {
	for _, pid := range all {
		used += resident(pid)
	}
	if used <= limit {
		return used
	}
	used = 0
	for _, pid := range all {
		used += proportional(pid)
	}
	return used
}

// resident returns the memory of a process, or 0 if it has ended.
func resident(pid int) int64 {
	var size, pages int64
	if statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
		_, _ = fmt.Sscan(string(statm), &size, &pages)
	}
	return pages * int64(os.Getpagesize())
}

// proportional returns the memory of a process without that of files. Each of n processes
// that share memory counts an nth of it. A process may hide this; all its memory counts then.
func proportional(pid int) (bytes int64) {
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return resident(pid)
	}
	for line := range strings.Lines(string(rollup)) {
		fields := strings.Fields(line)
		if len(fields) > 1 && (fields[0] == "Pss_Anon:" || fields[0] == "Pss_Shmem:") {
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64)
			bytes += kilobytes << 10
		}
	}
	return bytes
}
