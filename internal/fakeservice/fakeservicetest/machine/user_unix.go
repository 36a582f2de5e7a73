//go:build unix

package machine

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// anotherUser is the id of a user who owns nothing.
const anotherUser = 61182

// RunAsAnotherUser runs tests of the same package as a user who is not root. Only root can
// do that.
func RunAsAnotherUser(t *testing.T, pattern string) {
	t.Helper()
	NeedsRoot(t)
	folder := PassableFolder(t, "")
	program, home := filepath.Join(folder, "test"), filepath.Join(folder, "home")
	copied, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.Mkdir(home, 0o755)
	}
	if err == nil {
		err = os.Chown(home, anotherUser, anotherUser)
	}
	if err != nil {
		t.Fatal(err)
	}
	WriteProgram(t, program, copied)
	command := exec.CommandContext(t.Context(), program, "-test.run", pattern, "-test.v")
	command.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home, "GOCACHE=", "GOMODCACHE=", "GOPATH=") //nolint:forbidigo // this package is for tests alone
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: anotherUser, Gid: anotherUser}}
	said, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	t.Logf("%s", said)
}
