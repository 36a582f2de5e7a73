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
	mostMemory = 4 << 30
	mostTasks  = 2048
)

// limitsHere returns the limits of a sandbox on this machine. Two sandboxes at their limit
// must not use up its memory.
func limitsHere() Limits {
	l := Limits{Memory: mostMemory, Tasks: mostTasks}
	var machine unix.Sysinfo_t
	if unix.Sysinfo(&machine) == nil {
		l.Memory = min(l.Memory, int64(machine.Totalram)*int64(machine.Unit)/2) //nolint:unconvert // the types differ by architecture
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

// watch watches a process with its descendants until it ends.
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
		all := processes()
		g.mu.Lock()
		for p, l := range g.watched {
			if over := l.exceeded(all.usedBy(p.pid, l)); over != nil {
				p.exceeded.CompareAndSwap(nil, over)
				p.Signal(os.Kill)
			}
		}
		g.mu.Unlock()
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

// processTable has the children of each process, and its number of threads.
type processTable struct {
	children map[int][]int
	threads  map[int]int
}

// processes returns the processes that this program can see. A process of a sandbox is a
// descendant of its first one: if its parent ends, the first one adopts it.
func processes() processTable {
	table := processTable{map[int][]int{}, map[int]int{}}
	folder, err := os.Open("/proc")
	if err != nil {
		return table
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1) // a part is better than nothing
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		// The program's name is in parentheses, and may have some itself. The parent is
		// the second field after it, and the number of threads the eighteenth.
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		at := bytes.LastIndexByte(stat, ')')
		if err != nil || at < 0 {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[at+1:]))
		if len(fields) < 18 {
			continue
		}
		parent, _ := strconv.Atoi(fields[1])
		table.threads[pid], _ = strconv.Atoi(fields[17])
		table.children[parent] = append(table.children[parent], pid)
	}
	return table
}

// below returns a process with its descendants. Each process is in the result of one call
// at most, because the table is not of a single moment and may have circles.
func (t processTable) below(pid int) []int {
	children := t.children[pid]
	delete(t.children, pid)
	all := []int{pid}
	for _, child := range children {
		all = append(all, t.below(child)...)
	}
	return all
}

// usedBy returns what a process and its descendants use. Memory that they share counts
// several times at first, which is fast to find out, and once if that exceeds the limit.
func (t processTable) usedBy(pid int, l Limits) (used Limits) {
	all := t.below(pid)
	for _, one := range all {
		used.Tasks += t.threads[one]
		used.Memory += resident(one)
	}
	if used.Memory <= l.Memory {
		return used
	}
	used.Memory = 0
	for _, one := range all {
		used.Memory += proportional(one)
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

// proportional returns the memory of a process without that of files. What n processes
// share counts by an nth for each. A process may hide this; all its memory counts then.
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
