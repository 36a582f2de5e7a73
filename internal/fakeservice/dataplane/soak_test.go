//go:build soak

package dataplane_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

var (
	soakDays      = flag.Int("soakdays", 30, "how many days of the fake's clock the soak takes, ten at least")
	soakInstances = flag.Int("soakinstances", 20, "how many instances there are")
	soakChanges   = flag.Int("soakchanges", 2000, "how many changes are made of them, beside the starts of apps")
	soakStarts    = flag.Int("soakstarts", 500, "how many times an app is started by a restart, a new build or its own end")
	soakSeed      = flag.Uint64("soakseed", 1, "the chance of what is changed")
)

// The limits for growth after the warm-up. The warm-up takes three tenths of the time, so
// that each instance has its seven daily backups. If a start, a change or a day left
// something behind, the growth would be many times these limits.
const (
	moreThreads     = 8
	moreGoroutines  = 20
	moreDescriptors = 20
	moreProcesses   = 20
	moreHeap        = 24 << 20
	// moreDisk is the limit per instance, for its write-ahead log, whose size PostgreSQL
	// limits.
	moreDisk = 48 << 20
	// moreBackup is the limit for the growth of a backup, in bytes.
	moreBackup = 8 << 20
)

// figures is the fake's use of resources at a moment.
type figures struct {
	threads, goroutines, descriptors, processes, namespaces int
	heap, resident                                          int64
	// data is the size on disk in bytes without backups. backups is the number of backups
	// on disk, and recorded the number in the records.
	data, backupBytes int64
	backups, recorded int
}

func (f figures) String() string {
	const mb = 1 << 20
	return fmt.Sprintf("%d threads, %d goroutines, %d descriptors, %d processes, %d mount namespaces, heap %d MB, resident %d MB, disk %d MB and %d MB in %d backups",
		f.threads, f.goroutines, f.descriptors, f.processes, f.namespaces, f.heap/mb, f.resident/mb, f.data/mb, f.backupBytes/mb, f.backups)
}

// against returns the figures that exceed their limits.
func (f figures) against(warm figures, instances int) (wrong []string) {
	compare := func(what string, now, before, more int64) {
		if now > before+more {
			wrong = append(wrong, fmt.Sprintf("%s: %d after the warm-up, %d now, and %d more is the most", what, before, now, more))
		}
	}
	compare("threads", int64(f.threads), int64(warm.threads), moreThreads)
	compare("goroutines", int64(f.goroutines), int64(warm.goroutines), moreGoroutines)
	compare("descriptors", int64(f.descriptors), int64(warm.descriptors), moreDescriptors)
	compare("processes", int64(f.processes), int64(warm.processes), moreProcesses)
	compare("mount namespaces", int64(f.namespaces), int64(warm.namespaces), 0)
	compare("bytes of heap", f.heap, warm.heap, moreHeap)
	compare("bytes on disk without backups", f.data, warm.data, moreDisk*int64(instances))
	compare("bytes of a backup", f.backupBytes/int64(max(1, f.backups)), warm.backupBytes/int64(max(1, warm.backups)), moreBackup)
	compare("backups on disk that no record tells of", int64(f.backups), int64(f.recorded), 0)
	compare("backups", int64(f.recorded), 0, int64(14*instances))
	return wrong
}

// soak is a fake with instances, in two folders.
type soak struct {
	*fake
	boxes     []*box
	state     string
	apps      string
	chance    *rand.Rand
	databases map[string][]string
}

// Thirty days of the fake's clock leave nothing behind except what is in the records.
func TestFakeSoak(t *testing.T) {
	if *soakDays < 10 {
		t.Fatal("the soak needs at least ten days, because its warm-up fills the backups of seven")
	}
	s := &soak{state: diskFolder(t), apps: diskFolder(t), chance: rand.New(rand.NewPCG(*soakSeed, 0)), databases: map[string][]string{}}
	withApps := withRepositories(t)
	plane := fakeservicetest.WithDataPlane(t, withApps, func(o *dataplane.Options) { o.StateFolder, o.AppsFolder = s.state, s.apps })
	s.fake = &fake{fakeservicetest.Start(t, plane, func(o *fakeservice.Options) { o.RequestsKept = 2000 }), t}

	began := time.Now()
	s.measure("empty")
	for range *soakInstances {
		b := s.fullBox()
		b.mustRun(b.importApp("octo/app", object{"VERSION": "1"}))
		s.boxes = append(s.boxes, b)
	}
	t.Logf("%d instances with Postgres, auth and an app after %s", len(s.boxes), time.Since(began).Round(time.Second))
	s.measure("start")

	var warm figures
	changes, starts := 0, 0
	for day := 1; day <= *soakDays; day++ {
		for ; changes < *soakChanges*day / *soakDays; changes++ {
			s.change(s.boxes[s.chance.IntN(len(s.boxes))])
		}
		for ; starts < *soakStarts*day / *soakDays; starts++ {
			s.startApp(s.boxes[s.chance.IntN(len(s.boxes))], starts)
		}
		s.Advance(24 * time.Hour)
		if day*10 / *soakDays == (day-1)*10 / *soakDays {
			continue
		}
		now := s.measure(fmt.Sprintf("day %d, %d changes, %d starts, %s", day, changes, starts, time.Since(began).Round(time.Second)))
		if day*10 / *soakDays <= 3 {
			warm = now
		}
	}
	var end figures
	var wrong []string
	t.Logf("warm: %s", warm)
	machine.Until(t, "no more is held than when it was warm", func() bool { // resources of ended work are released with a delay
		end = s.look()
		wrong = end.against(warm, len(s.boxes))
		return len(wrong) == 0
	}, func() string { return strings.Join(wrong, "\n") })
	t.Logf("end:  %s", end)
	for _, b := range s.boxes {
		b.mustRun(b.settled("web"))
	}
}

// measure returns and logs the figures.
func (s *soak) measure(when string) figures {
	s.t.Helper()
	h := s.look()
	s.t.Logf("%s: %s", when, h)
	return h
}

func (s *soak) look() (h figures) {
	entries := func(folder string) int {
		found := must.Get(os.ReadDir(folder))(s.t)
		return len(found)
	}
	http.DefaultClient.CloseIdleConnections()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	below := processes.Below(s.t, os.Getpid())
	h = figures{
		threads: entries("/proc/self/task"), goroutines: runtime.NumGoroutine(), descriptors: entries("/proc/self/fd"),
		processes: len(below), heap: int64(memory.HeapAlloc), resident: s.resident(),
	}
	namespaces := map[string]bool{}
	tasks, _ := filepath.Glob("/proc/self/task/*/ns/mnt")
	for _, p := range below {
		tasks = append(tasks, fmt.Sprintf("/proc/%d/ns/mnt", p.ID))
	}
	for _, at := range tasks {
		if name, err := os.Readlink(at); err == nil {
			namespaces[name] = true
		}
	}
	h.namespaces = len(namespaces)
	for _, folder := range []string{s.state, s.apps} {
		s.weigh(folder, &h)
	}
	for _, b := range s.boxes {
		in, _ := s.Instance(b.id)
		h.recorded += len(in.Backups)
	}
	return h
}

// resident returns the memory of this process without its children.
func (s *soak) resident() int64 {
	var pages, resident int64
	text, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(text), &pages, &resident)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return resident * int64(os.Getpagesize())
}

// weigh adds the disk usage of a folder.
func (s *soak) weigh(folder string, h *figures) {
	must.Do(s.t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed in the meantime
		}
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed in the meantime
		}
		if err != nil {
			return err
		}
		parent := filepath.Base(filepath.Dir(filepath.Dir(path)))
		if entry.IsDir() && parent == "backups" {
			h.backups++
		}
		size := int64(0)
		if raw, ok := info.Sys().(*syscall.Stat_t); ok && !entry.IsDir() {
			size = raw.Blocks * 512
		}
		if strings.Contains(path, "/backups/") {
			h.backupBytes += size
		} else {
			h.data += size
		}
		return nil
	}))
}

// change makes one random change of an instance and finishes its job.
func (s *soak) change(b *box) {
	s.t.Helper()
	switch n := s.chance.IntN(100); {
	case n < 15:
		b.done("PATCH", b.path, object{"name": fmt.Sprintf("box-%d", n), "tags": []string{fmt.Sprint(n)}})
	case n < 30:
		list := []string{"127.0.0.0/8"}
		if s.chance.IntN(2) == 0 {
			list = []string{}
		}
		b.done("PUT", b.path+"/allowlist", object{"allowlist": list})
	case n < 45:
		b.done("PUT", b.path+"/sql-console", object{"mode": "rw"})
		b.query("CREATE TABLE IF NOT EXISTS soaked (n INT)", http.StatusOK)
		b.query("INSERT INTO soaked SELECT generate_series(1, 100)", http.StatusOK)
		b.query("DELETE FROM soaked", http.StatusOK)
	case n < 60:
		s.changeDatabases(b)
	case n < 70:
		b.done("PUT", b.path+"/postgres/extensions/pgcrypto", object{})
	case n < 80:
		b.done("PUT", b.path+"/postgres/extensions/pg_trgm", object{})
		b.done("DELETE", b.path+"/postgres/extensions/pg_trgm", nil)
	case n < 88:
		b.done("PATCH", b.path+"/engines/auth/settings", object{"site_url": fmt.Sprintf("https://app%d.example", n)})
	case n < 92:
		b.done("POST", b.path+"/actions/rotate", object{})
	case n < 96:
		engine := []string{"postgres", "auth", "apps"}[s.chance.IntN(3)]
		b.done("POST", b.path+"/engines/"+engine+"/actions/restart", nil)
	default:
		in, _ := s.Instance(b.id)
		if len(in.Backups) == 0 {
			b.done("POST", b.path+"/actions/reset", object{"confirm": b.id, "engine": "postgres"})
			s.databases[b.id] = nil
			return
		}
		b.done("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": in.Backups[s.chance.IntN(len(in.Backups))].ID})
		s.databases[b.id] = s.namesOf(b)
	}
}

// changeDatabases creates a database, or drops one if there are three.
func (s *soak) changeDatabases(b *box) {
	names := s.databases[b.id]
	if len(names) < 3 {
		name := fmt.Sprintf("db%d", s.chance.IntN(1e9))
		b.done("POST", b.path+"/postgres/databases", object{"name": name})
		s.databases[b.id] = append(names, name)
		return
	}
	b.done("DELETE", b.path+"/postgres/databases/"+names[0], nil)
	s.databases[b.id] = names[1:]
}

// namesOf returns the databases that the soak created on an instance.
func (s *soak) namesOf(b *box) (names []string) {
	_, answer := b.call("GET", b.path+"/postgres/databases", nil)
	for _, d := range answer["databases"].([]any) {
		if name := d.(object)["name"].(string); strings.HasPrefix(name, "db") {
			names = append(names, name)
		}
	}
	return names
}

// startApp makes the app of an instance start again: mostly by a restart, one time in ten
// by a new build, and one time in ten by killing its process.
func (s *soak) startApp(b *box, n int) {
	s.t.Helper()
	address := b.mustRun(b.settled("web")).URL
	switch n % 10 {
	case 3:
		b.done("POST", b.path+"/apps/web/actions/redeploy", nil)
	case 7:
		before := b.process(fakeservice.EngineApps)
		if before <= 1 || syscall.Kill(before, syscall.SIGKILL) != nil {
			s.t.Fatalf("the app's process: got %d, want one that can be ended", before)
		}
		machine.Until(s.t, "the app is started again", func() bool { now := b.process(fakeservice.EngineApps); return now > 0 && now != before })
	default:
		b.done("POST", b.path+"/apps/web/actions/restart", nil)
	}
	b.mustRun(b.settled("web"))
	machine.Until(s.t, "the app answers", func() bool { status, _ := ask(s.t, address, "/healthz"); return status == http.StatusOK })
}
