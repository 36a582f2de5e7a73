package scratch

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// endProcessesIn ends what works in a folder, was built there, or has a view of the
// file system with something of it, as far as this program may: an owner that was
// killed may leave what its apps and builds have started. Whoever has started this
// program is left alone. It gives how many there were.
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
		_ = syscall.Kill(id, syscall.SIGKILL) // it may be gone by now
		found++
	}
	return found
}

// ancestors are this process, its parent, and so on.
func ancestors() map[int]bool {
	all := map[int]bool{}
	for id := os.Getpid(); id > 0 && !all[id]; {
		all[id] = true
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
		if err != nil {
			break
		}
		// The name, in parentheses, may hold anything.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		id = 0
		if len(fields) > 1 {
			id, _ = strconv.Atoi(fields[1]) // 0 is nobody
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

// place is where something is in a file system: the system's device, and a path
// that is the same in whichever namespace.
type place struct{ device, path string }

// mount is a line of mountinfo.
type mount struct {
	what  place
	point string
}

func mountsOf(process string) []mount {
	text, err := os.ReadFile(filepath.Join(process, "mountinfo"))
	if err != nil {
		return nil // it has ended, or is none of ours
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

// placeOf is where a folder of this program's is; the zero place where that cannot
// be told.
func placeOf(folder string) place {
	var best mount
	for _, m := range mountsOf("/proc/self") {
		if (m.point == "/" || folder == m.point || strings.HasPrefix(folder, m.point+"/")) && len(m.point) >= len(best.point) {
			best = m // the last one covers those before it
		}
	}
	if best.point == "" {
		return place{}
	}
	return place{best.what.device, filepath.Join(best.what.path, strings.TrimPrefix(folder, best.point))}
}

// sees tells whether a process was given something below a place in a view of its
// own. Its working folder then has another name.
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
