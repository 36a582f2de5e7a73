package machine

import (
	"bytes"
	"os/exec"
	"testing"
)

// WriteProgram writes a program that the test then starts. Another process writes the file,
// because a program cannot be started while it is open for writing ("text file busy"). If
// the test itself wrote it, a process that another test starts in the meantime could inherit
// the open file.
func WriteProgram(t *testing.T, file string, content []byte) {
	t.Helper()
	write := exec.CommandContext(t.Context(), "sh", "-c", `cat >"$1" && chmod 755 "$1"`, "sh", file)
	write.Stdin = bytes.NewReader(content)
	if said, err := write.CombinedOutput(); err != nil {
		t.Fatalf("write %s: %v\n%s", file, err, said)
	}
}
