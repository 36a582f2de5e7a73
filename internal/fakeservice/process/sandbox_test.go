//go:build unix

package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestSandboxCommand(t *testing.T) {
	t.Parallel()
	spec := Spec{
		Command: []string{"npm", "start"}, Folder: "/app/source", User: User{UID: 7, GID: 8},
		Environment: []string{"SECRET=told"}, Mounts: []Mount{{"/data", "/srv/one", true}, {"/trust", "/srv/two", false}},
	}
	shared := "--info-fd 3 --die-with-parent --new-session --unshare-pid --unshare-ipc --unshare-uts "
	mounts := "--proc /proc --bind /srv/one /data --ro-bind /srv/two /trust --remount-ro / --chdir /app/source -- "
	program := "/bin/sh -c " + insideScript + " sh npm start"
	for name, row := range map[string]struct {
		sandbox Sandbox
		want    string
	}{
		"root":    {Sandbox{setpriv: "/bin/setpriv"}, shared + mounts + "/bin/setpriv --reuid 7 --regid 8 --clear-groups --inh-caps -all --no-new-privs " + program},
		"another": {Sandbox{}, shared + "--unshare-user " + mounts + program},
	} {
		row.sandbox.bubblewrap, row.sandbox.system = "/bin/bwrap", []string{"--proc", "/proc"}
		if got := strings.Join(row.sandbox.command(spec), " "); got != "/bin/bwrap "+row.want {
			t.Errorf("%s: got\n%s\nwant\n/bin/bwrap %s", name, got, row.want)
		}
	}
}

func TestFoldersAbove(t *testing.T) {
	t.Parallel()
	got := strings.Join(foldersAbove([]string{"/opt/go/tools", "/etc/ssl", "/opt/node", "/usr/lib/x", "/data", "/etc/hosts"}), " ")
	if want := "--dir /etc --dir /opt --dir /opt/go"; got != want {
		t.Errorf("foldersAbove: got %q, want %q", got, want)
	}
}

// A shell that executes the script runs the program with exactly this environment. Shells
// keep some variables to themselves, and each has others.
func TestExports(t *testing.T) {
	t.Parallel()
	var every strings.Builder
	for char := '\x01'; char < 0x180; char++ {
		every.WriteRune(char)
	}
	want := []string{
		"A=it's\n$HOME `id`\\", "BASHOPTS=a", "BASHPID=1", "EMPTY=", "EUID=7", "EVERY=" + every.String(), "GROUPS=x", "IFS=A", "LINENO=x", "OPTIND=none", "PATH=" + os.Getenv("PATH"),
		"PPID=x\n", "PWD=/nowhere", "RANDOM=4", "SECONDS=x", "SHLVL=5", "UID=a 'b'", "_=x",
	}
	for _, program := range []string{"sh", "dash", "bash"} {
		path, err := exec.LookPath(program)
		if err != nil {
			continue // the machine may lack it
		}
		// A link named sh makes bash follow POSIX, where an assignment that fails ends it.
		named := filepath.Join(t.TempDir(), "sh")
		must.Do(t, os.Symlink(path, named))
		said, err := shell(t, "", func(s *Spec) {
			s.Command = []string{named, "-c", exports(want), "sh", "env", "-0"}
		})
		got := strings.Split(strings.TrimSuffix(said, "\x00"), "\x00")
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: got error %v; the environment (-want +got):\n%s", program, err, diff)
		}
	}
}

func TestToolchainsOf(t *testing.T) {
	t.Parallel()
	top := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	for _, file := range []string{"go/bin/go", "go/pkg/tool/compile", "node/bin/node", "node/lib/node_modules/npm", "home/bin/node", "home/bin/private", "other/bin/private"} {
		file = filepath.Join(top, file)
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must.Do(t, os.WriteFile(file, nil, 0o755))
	}
	must.Do(t, os.MkdirAll(filepath.Join(top, "links"), 0o755))
	must.Do(t, os.Symlink(filepath.Join(top, "node/bin/node"), filepath.Join(top, "links/node")))
	const system = ":/usr/local/bin:/usr/bin:/bin"
	for name, row := range map[string]struct{ path, inside, mounts string }{
		"the system's alone":          {"/usr/bin:/bin", "/usr/bin:/bin:/usr/local/bin", ""},
		"a toolchain":                 {"T/go/bin", "T/go/bin" + system, "T/go"},
		"a link to a toolchain":       {"T/links", "T/node/bin" + system, "T/node/bin T/node/lib/node_modules"},
		"a program in a home folder":  {"T/home/bin", "T/home/bin" + system, "T/home/bin/node"},
		"nothing that builds":         {"T/other/bin:relative:/nowhere", system[1:], ""},
		"two of them, one named more": {"T/go/bin:T/links:T/node/bin", "T/go/bin:T/node/bin" + system, "T/go T/node/bin T/node/lib/node_modules"},
	} {
		full := func(text string) string { return strings.ReplaceAll(text, "T/", top+"/") }
		inside, mounts := toolchainsOf(full(row.path))
		if diff := cmp.Diff([]string{full(row.inside), full(row.mounts)}, []string{inside, strings.Join(mounts, " ")}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
