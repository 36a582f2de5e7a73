package workdir

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// endProcessesIn kills every process that works in a folder, was built there, or has
// something of it in its mount namespace, as far as this program may. An owner that was
// killed may leave processes that its apps and builds have started. The ancestors of this
// program are spared. It returns the number of processes.
func endProcessesIn(folder string) (found int) {
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0
	}
	spared, here := ancestors(), placeOf(folder)
	for _, process := range processes {
		id, err := strconv.Atoi(filepath.Base(process))
		if err != nil || spared[id] || !worksIn(process, folder) && !sees(process, here) {
			continue
		}
		_ = syscall.Kill(id, syscall.SIGKILL) // it may have ended by now
		found++
	}
	return found
}

// ancestors returns this process, its parent, and so on.
func ancestors() map[int]bool {
	all := map[int]bool{}
	for id := os.Getpid(); id > 0 && !all[id]; {
		all[id] = true
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
		if err != nil {
			break
		}
		// The name, in parentheses, may contain anything.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		id = 0
		if len(fields) > 1 {
			id, _ = strconv.Atoi(fields[1]) // 0 is not a process
		}
	}
	return all
}

func worksIn(process, folder string) bool {
	for _, what := range []string{"cwd", "exe"} {
		at, err := os.Readlink(filepath.Join(process, what))
		if err == nil && (at == folder || strings.HasPrefix(at, folder+"/")) {
			return true
		}
	}
	return false
}

// place is a location in a file system: the system's device, and a path that is the same in
// every namespace.
type place struct{ device, path string }

// mount is a line of mountinfo.
type mount struct {
	what  place
	point string
}

func mountsOf(process string) []mount {
	text, err := os.ReadFile(filepath.Join(process, "mountinfo"))
	if err != nil {
		return nil // it has ended, or belongs to another user
	}
	var mounts []mount
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			mounts = append(mounts, mount{place{fields[2], unescaped(fields[3])}, unescaped(fields[4])})
		}
	}
	return mounts
}

func unescaped(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}

// placeOf returns the location of a folder of this program, or the zero place if it is
// unknown.
func placeOf(folder string) place {
	var best mount
	for _, m := range mountsOf("/proc/self") {
		if (m.point == "/" || folder == m.point || strings.HasPrefix(folder, m.point+"/")) && len(m.point) >= len(best.point) {
			best = m // a later mount covers earlier ones
		}
	}
	if best.point == "" {
		return place{}
	}
	return place{best.what.device, filepath.Join(best.what.path, strings.TrimPrefix(folder, best.point))}
}

// sees reports whether a process in another mount namespace has a mount from below a place.
// Its working folder then has a different path.
func sees(process string, here place) bool {
	own, err := os.Readlink("/proc/self/ns/mnt")
	if its, itsErr := os.Readlink(filepath.Join(process, "ns", "mnt")); err != nil || itsErr != nil || its == own || here.device == "" {
		return false
	}
	for _, m := range mountsOf(process) {
		if m.what.device == here.device && strings.HasPrefix(m.what.path, here.path+"/") {
			return true
		}
	}
	return false
}
