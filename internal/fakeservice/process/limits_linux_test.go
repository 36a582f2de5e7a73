package process

import (
	"errors"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

func TestLimitsExceeded(t *testing.T) {
	t.Parallel()
	limits := Limits{Memory: 64 << 20, Processes: 10}
	for name, row := range map[string]struct {
		used Limits
		want string
	}{
		"neither":      {limits, ""},
		"memory":       {Limits{limits.Memory + 1, 1}, "it used more than 64 MB of memory"},
		"processes":    {Limits{1, 11}, "it used more than 10 processes"},
		"without them": {Limits{}, ""},
	} {
		got := ""
		if err := limits.exceeded(row.used); err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// bombs are programs that would take this machine, each with the reason for which it ends.
var bombs = map[string]struct{ script, want string }{
	"processes": {`f() { f | f & }; f; sleep 1000`, "it used more than 100 processes"},
	"processes in sessions": {`s='setsid sh -c "$1" sh "$1" & setsid sh -c "$1" sh "$1" & sleep 1000'; sh -c "$s" sh "$s"`,
		"it used more than 100 processes"},
	"memory":                   {`tail /dev/zero`, "it used more than 200 MB of memory"},
	"memory of many processes": {`for i in 1 2 3 4 5 6 7 8; do head -c 40M /dev/zero | tail & done; wait`, "it used more than 200 MB of memory"},
	"memory that is shared": {`python3 -c 'import mmap, time; m = mmap.mmap(-1, 300 << 20); m.write(b"x" * (300 << 20)); time.sleep(1000)'`,
		"it used more than 200 MB of memory"},
}

// forks is a program whose processes share memory, which counts once.
const forks = `python3 -c 'import mmap, os, time
m = mmap.mmap(-1, 60 << 20); m.write(b"x" * (60 << 20))
for _ in range(9): os.fork() or (m.find(b"y"), time.sleep(1), os._exit(0))
time.sleep(2); print("done")'`

// A bomb ends, with all its processes and for a reason that is told, and this machine does
// not.
func TestLimitsOfASandbox(t *testing.T) {
	_, inside := sandboxed(t)
	limited := func(s *Spec) {
		inside(s)
		sandbox := *s.Sandbox
		sandbox.Limits = Limits{Memory: 200 << 20, Processes: 100}
		s.Sandbox = &sandbox
	}
	for name, row := range bombs {
		_, err := shell(t, row.script, limited)
		over := (*LimitError)(nil)
		if !errors.As(err, &over) || over.Error() != row.want {
			t.Errorf("%s: got error %v, want %q", name, err, row.want)
		}
	}
	if said, err := shell(t, forks, limited); said != "done" || err != nil {
		t.Errorf("processes that share memory: got %q and error %v, want done", said, err)
	}
}

func TestLimitsOfASandboxAsAnotherUser(t *testing.T) {
	machine.RunAsAnotherUser(t, "^TestLimitsOfASandbox$")
}
