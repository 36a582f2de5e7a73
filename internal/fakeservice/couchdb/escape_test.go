package couchdb

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// escape is a view that leaves the context of the design documents, which is not a sandbox,
// and puts links to a file in the place of the server's own files.
const escape = `function (doc) {
	var program = globalThis.constructor.constructor("return process")();
	var fs = program.getBuiltinModule("fs");
	var results = [];
	[program.argv[1], %[2]q, %[3]q].forEach(function (path) {
		try {
			fs.rmSync(path, {force: true});
			fs.symlinkSync(%[1]q, path);
			results.push("replaced");
		} catch (e) {
			results.push(e.code);
		}
	});
	emit("escaped", results);
}`

// A customer's function that leaves its context cannot make the fake write to, or connect to,
// another file.
func TestEscapeReachesNoFile(t *testing.T) {
	t.Parallel()
	c := open(t)
	if c.server.sandbox == nil && os.Geteuid() != 0 {
		machine.Lacks(t, "without bubblewrap or root, the server runs as the fake's user")
	}
	target := filepath.Join(machine.PassableFolder(t, ""), "target")
	must.Do(t, os.WriteFile(target, []byte("untouched"), 0o666))
	c.write("v")
	view := fmt.Sprintf(escape, target, filepath.Join(c.server.run, insideSocket), filepath.Join(c.server.run, frontSocket))
	c.do("PUT", "/db/_design/d", fmt.Sprintf(`{"views":{"v":{"map":%q}}}`, view), http.StatusCreated)
	rows, _ := c.do("GET", "/db/_design/d/_view/v", "", http.StatusOK)["rows"].([]any)
	if len(rows) != 1 || rows[0].(map[string]any)["key"] != "escaped" {
		t.Fatalf("the view: got %v, want one row of the escape", rows)
	}
	for _, name := range []string{insideSocket, frontSocket} {
		if info, err := os.Lstat(filepath.Join(c.server.run, name)); err != nil || info.Mode().Type() != os.ModeSocket {
			t.Errorf("%s: got %v and %v, want a socket", name, info, err)
		}
	}

	// The fake writes the program again when it restarts the server.
	killed := must.Get(os.FindProcess(c.server.PID()))(t)
	must.Do(t, killed.Kill())
	machine.Until(t, "another process", func() bool { return c.server.PID() != 0 && c.server.PID() != killed.Pid })
	c.value("v")
	if text, err := os.ReadFile(target); err != nil || string(text) != "untouched" {
		t.Errorf("the target: got %q and %v, want it untouched", text, err)
	}
}
