package process

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// sandboxed returns a folder and a change of a Spec that runs a shell in a sandbox. The
// sandbox has two folders of this machine: one is writable and one is read-only.
func sandboxed(t *testing.T) (folder string, inside func(*Spec)) {
	t.Helper()
	sandbox, err := FindSandbox(t.Context(), os.Getenv("PATH"))
	if err != nil {
		machine.Lacks(t, "%v", err)
	}
	folder = machine.PassableFolder(t, "")
	user := User{}
	for _, name := range []string{"own", "read", "neighbour"} {
		must.Do(t, os.Mkdir(filepath.Join(folder, name), 0o755))
		must.Do(t, os.WriteFile(filepath.Join(folder, name, "file"), []byte(name), 0o644))
	}
	if os.Geteuid() == 0 {
		user = User{UID: 61183, GID: 61183}
		if err := os.Chown(filepath.Join(folder, "own"), user.UID, user.GID); err != nil { // root still owns its file
			t.Fatal(err)
		}
	}
	return folder, func(s *Spec) {
		s.Sandbox, s.User, s.Folder = sandbox, user, "/own"
		s.Environment = []string{"PATH=" + sandbox.Path(), "A=b"}
		s.Mounts = []Mount{{"/own", filepath.Join(folder, "own"), true}, {"/read", filepath.Join(folder, "read"), false}, {"/deep/in/file", filepath.Join(folder, "read", "file"), false}}
	}
}

func TestSandboxAsAnotherUser(t *testing.T) {
	machine.RunAsAnotherUser(t, "^TestSandbox(Keeps|Signals|LeavesNothing)")
}

// TestSandboxKeepsIn tries each way out that a program in a sandbox might have.
func TestSandboxKeepsIn(t *testing.T) {
	folder, inside := sandboxed(t)
	listener := must.Get(net.Listen("unix", filepath.Join(folder, "socket")))(t)
	defer listener.Close()
	// A key of this process's session, which programs would inherit.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, _ = unix.KeyctlInt(unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0)
	_, _ = unix.AddKey("user", "hosting-test-key", []byte("secret"), unix.KEY_SPEC_SESSION_KEYRING) // some containers have no keys
	// An open folder of this machine, which programs would inherit too.
	inherited := openForAll(t, "/")
	self := os.Getpid()
	for name, row := range map[string]struct{ script, want string }{
		"it sees its own folders":         {`cat /own/file /read/file; ls / | tr '\n' ' '`, "ownread"},
		"it writes to its own":            {`echo new > /own/other && cat /own/other`, "new"},
		"it writes nowhere else":          {`for f in /read/file /usr/x /etc/x /x /sys/x; do echo new 2>/dev/null > $f && echo $f; done; echo none`, "none"},
		"it reads the system's settings":  {`cat /etc/hosts >/dev/null && ls /etc/ssl >/dev/null && cat /deep/in/file`, "read"},
		"mounts: none of its own":         {`mount -t tmpfs none /read 2>/dev/null || umount /read 2>/dev/null || mount -o remount,rw /read 2>/dev/null || echo none`, "none"},
		"mounts: no neighbour":            {`ls -d ` + folder + ` ` + folder + `/neighbour 2>/dev/null || echo none`, "none"},
		"temporary files are its own":     {`ls -A /tmp; echo x > /tmp/x && ls -A /tmp`, "x"},
		"home folders are not there":      {`ls -d /root /home /var /run /srv /mnt 2>/dev/null || echo none`, "none"},
		"proc: no other process":          {fmt.Sprintf(`ls -d /proc/%d 2>/dev/null || echo none`, self+100000), "none"},
		"proc: few processes":             {`test $(ls -d /proc/[0-9]* | wc -l) -le 5 && echo few`, "few"},
		"proc: no kernel settings":        {`(echo x > /proc/sys/kernel/hostname) 2>/dev/null || (echo b > /proc/sysrq-trigger) 2>/dev/null || echo none`, "none"},
		"signals: none to others":         {fmt.Sprintf(`kill -0 %d 2>/dev/null || echo none`, self+100000), "none"},
		"ptrace: no memory of others":     {`head -c 1 /proc/1/mem 2>/dev/null || echo none`, "none"},
		"sockets: none of the machine":    {`test -S ` + folder + `/socket || test -S /run/dbus/system_bus_socket || echo none`, "none"},
		"devices: none that hold data":    {`ls /dev | grep -E '^(sd|vd|nvme|mem|kmem|kmsg|loop|fuse)' || echo none`, "none"},
		"rights: none to gain":            {`grep -E 'NoNewPrivs|CapEff' /proc/self/status | tr -d '\t' | tr '\n' ' '`, "CapEff:0000000000000000 NoNewPrivs:1"},
		"namespaces: no user of its own":  {`unshare -Ur id -u 2>/dev/null || unshare -m true 2>/dev/null || echo none`, "none"},
		"namespaces: nor by python":       {`python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall(56 if __import__("os").uname().machine == "x86_64" else 220, 0x10000011, 0, 0, 0, 0))' || echo -1`, "-1"},
		"devices: no other files":         {`(echo x > /dev/x) 2>/dev/null || echo none`, "none"},
		"devices: little shared memory":   {`head -c 300M /dev/zero 2>/dev/null > /dev/shm/x; test $(stat -c %s /dev/shm/x) = 268435456 && echo full; rm /dev/shm/x`, "full"},
		"setuid files do not count":       {`grep ' /own ' /proc/self/mountinfo | grep -c nosuid`, "1"},
		"the tty: none":                   {`(: < /dev/tty) 2>/dev/null || test $(cut -d' ' -f6 /proc/self/stat) != 0 && echo none`, "none"},
		"it is not root":                  {`test $(id -u) != 0 && echo other`, "other"},
		"descriptors: none of the caller": {fmt.Sprintf(`ls -d /proc/self/fd/%d/etc 2>/dev/null || echo none`, inherited), "none"},
		"only its own variables":          {`env | grep -vE '^(PWD|OLDPWD|SHLVL|_)=' | sort | tr '\n' ' '`, "A=b PATH="},
		// The same user sees the names of its keys everywhere, but not their content.
		"keyrings: none of the caller": {`test $(id -u) = 61182 || grep -c hosting-test-key /proc/keys`, map[bool]string{true: "0"}[os.Geteuid() == 0]},
	} {
		said, err := shell(t, row.script, inside)
		if (err != nil && said == "") || !strings.HasPrefix(said, row.want) {
			t.Errorf("%s: got %q and error %v, want %q", name, said, err, row.want)
		}
	}
	for name, want := range map[string]string{"own/other": "new\n", "own/file": "own", "read/file": "read", "neighbour/file": "neighbour"} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(text) != want {
			t.Errorf("%s: got %q and error %v, want %q", name, text, err, want)
		}
	}
}

// openForAll opens a folder without close-on-exec, as a shell does with 100</.
func openForAll(t *testing.T, path string) (descriptor int) {
	t.Helper()
	opened := must.Get(unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY, 0))(t)
	defer unix.Close(opened)
	// A number that no program in the sandbox uses itself.
	descriptor = must.Get(unix.FcntlInt(uintptr(opened), unix.F_DUPFD, 100))(t)
	t.Cleanup(func() { _ = unix.Close(descriptor) })
	return descriptor
}

// On a kernel without close_range, the descriptors are marked one by one.
func TestDescriptorsWithoutCloseRange(t *testing.T) {
	t.Parallel()
	inherited := openForAll(t, "/")
	must.Do(t, withholdEach())
	if flags, err := unix.FcntlInt(uintptr(inherited), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("the flags of the descriptor: got %d and error %v, want close-on-exec", flags, err)
	}
}

// TestSandboxKeepsVariablesIn asserts that the linker's variables act only inside: one
// complaint about a missing library appears, and it comes from the program.
func TestSandboxKeepsVariablesIn(t *testing.T) {
	_, inside := sandboxed(t)
	said, err := shell(t, "", inside, func(s *Spec) {
		s.Command = []string{"true"}
		s.Environment = append(s.Environment, "LD_PRELOAD=/own/evil.so")
	})
	if err != nil || strings.Count(said, "evil.so") > 1 {
		t.Errorf("the output: got %q and error %v, want evil.so at most once", said, err)
	}
}

// TestSandboxSignals asserts that a program with all its descendants is asked to end, and
// is killed if it does not.
func TestSandboxSignals(t *testing.T) {
	_, inside := sandboxed(t)
	for name, row := range map[string]struct{ script, how string }{
		"it ends by itself": {"trap 'exit 0' TERM; setsid sleep 1000 & echo ready; while :; do sleep 0.01; done", "it ended by itself"},
		"it ends at once":   {"echo ready; exec sleep 1000", "signal: terminated"},
		"it does not end":   {"trap '' TERM; setsid sleep 1000 & echo ready; while :; do sleep 0.01; done", "signal: killed"},
	} {
		said := NewTail(100)
		spec := Spec{Command: []string{"sh", "-c", row.script}, Output: said}
		inside(&spec)
		p := must.Get(Start(spec))(t)
		machine.Until(t, "it is ready", func() bool { return strings.Contains(said.String(), "ready") })
		p.Signal(syscall.SIGTERM)
		if row.how == "signal: killed" {
			p.Signal(os.Kill)
		}
		if how := p.How(); how != row.how {
			t.Errorf("%s: got %q, want %q", name, how, row.how)
		}
		// A zombie counts as ended.
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID())); err == nil && !strings.Contains(string(stat), ") Z ") {
			t.Errorf("the process of %q after its end: got the state %q, want none or Z", name, stat)
		}
	}
}

// usage counts the resources of this process.
type usage struct{ threads, descriptors, goroutines int }

func usageNow(t *testing.T) usage {
	t.Helper()
	count := func(folder string) int {
		entries := must.Get(os.ReadDir(folder))(t)
		return len(entries)
	}
	return usage{count("/proc/self/task"), count("/proc/self/fd"), runtime.NumGoroutine()}
}

// TestSandboxLeavesNothing asserts that starts leave nothing in this process, not even
// failed ones. It does not run in parallel, because it counts the resources of the whole
// process.
func TestSandboxLeavesNothing(t *testing.T) {
	_, inside := sandboxed(t)
	start := func() {
		if said, err := shell(t, ":", inside); err != nil {
			t.Fatalf("%s\n%s", err, said)
		}
		broken := Spec{Command: []string{"sh"}}
		inside(&broken)
		broken.Mounts = []Mount{{"/nowhere", "/there/is/none", false}}
		if _, err := Start(broken); err == nil {
			t.Fatal("Start of a sandbox with a missing source: got no error, want one")
		}
	}
	for range 10 {
		start() // the runtime creates the threads that it needs
	}
	before, after := usageNow(t), usage{}
	const starts = 30
	for range starts {
		start()
	}
	// The guard may be reading /proc when it is counted.
	machine.Until(t, "what was started has ended, and has closed its files", func() bool {
		after = usageNow(t)
		return after.goroutines <= before.goroutines && after.descriptors <= before.descriptors
	})
	if after.threads > before.threads+5 {
		t.Errorf("after %d starts: got %+v, want no more than before: %+v", 2*starts, after, before)
	}
}

// Node.js may be installed in a folder with other things, and below /tmp. Programs in a
// sandbox run it, and see nothing else of that folder.
func TestSandboxShowsOnlyTheToolchain(t *testing.T) {
	home := machine.PassableFolder(t, "")
	for file, text := range map[string]string{
		"bin/node":                 "#!/bin/sh\necho node",
		"lib/node_modules/npm/npm": "npm",
		"share/keyrings/login":     "secret",
	} {
		file = filepath.Join(home, file)
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must.Do(t, os.WriteFile(file, []byte(text), 0o755))
	}
	sandbox, err := FindSandbox(t.Context(), filepath.Join(home, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if err != nil {
		machine.Lacks(t, "%v", err)
	}
	_, inside := sandboxed(t)
	said := NewTail(1 << 10)
	spec := Spec{Command: []string{"sh", "-c", "node; cd " + home + " && cat lib/node_modules/npm/npm; echo; ls"}, Output: said}
	inside(&spec)
	spec.Sandbox, spec.Environment = sandbox, []string{"PATH=" + sandbox.Path()}
	if err := Run(t.Context(), spec); err != nil {
		t.Errorf("Run: got %v, want no error\n%s", err, said)
	}
	if got, want := strings.Join(strings.Fields(said.String()), " "), "node npm bin lib"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q at its end", got, want)
	}
}
