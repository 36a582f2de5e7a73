package appruntime

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// write creates a folder with files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return folder
}

func TestFailedBuilds(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no recipe":      {map[string]string{"README.md": ""}, "does not say how it is built"},
		"broken recipe":  {map[string]string{"hosting.json": `{"start`}, "hosting.json: "},
		"unknown field":  {map[string]string{"hosting.json": `{"begin": "x"}`}, `unknown field "begin"`},
		"no start":       {map[string]string{"hosting.json": `{"build": "true"}`}, `"start" is missing`},
		"failed command": {map[string]string{"hosting.json": `{"build": "echo step one; echo why >&2; exit 7", "start": "x"}`}, "step one\nwhy\nThe build failed: exit status 7"},
		"compile error":  {map[string]string{"go.mod": "module x\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() { nonsense() }\n"}, "undefined: nonsense"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, func(o *Options) { o.Repositories = map[string]string{"octo/app": write(t, row.files)} })
			_, err := r.Build(t.Context(), "octo/app", "main", nil, NewBuildLog())
			failed := (*BuildError)(nil)
			if !errors.As(err, &failed) || !strings.Contains(failed.Log, row.want) {
				t.Fatalf("the build: got error %v, want a BuildError with %q", err, row.want)
			}
			if failed.Commit == "" {
				t.Error("the failed build has no commit")
			}
			if left := glob(t, r, "build-*"); len(left) > 0 {
				t.Errorf("files of the build: got %v, want none", left)
			}
		})
	}
}

func TestUnknownRepository(t *testing.T) {
	t.Parallel()
	r := open(t)
	_, err := r.Build(t.Context(), "octo/other", "main", nil, NewBuildLog())
	if failed := (*BuildError)(nil); !errors.As(err, &failed) || !strings.Contains(failed.Log, "--repo octo/other=WHERE") {
		t.Errorf("the build: got error %v, want a BuildError with --repo octo/other=WHERE", err)
	}
}

// A failed build leaves the running version unchanged.
func TestFailedBuildLeavesTheRunningVersion(t *testing.T) {
	t.Parallel()
	broken := write(t, map[string]string{"hosting.json": `{"build": "exit 1", "start": "x"}`})
	r := open(t, func(o *Options) { o.Repositories["octo/broken"] = broken })
	a := deploy(t, r, "web", nil)
	pid := a.PID()
	if _, err := r.Build(t.Context(), "octo/broken", "main", nil, NewBuildLog()); err == nil {
		t.Fatal("a build that exits with 1: got no error, want one")
	}
	mustRead(t, a, "/healthz")
	if a.PID() != pid {
		t.Errorf("the app's process after a failed build: got %d, want %d", a.PID(), pid)
	}
}

func TestLongLogIsCutToItsEnd(t *testing.T) {
	t.Parallel()
	folder := write(t, map[string]string{"hosting.json": `{"build": "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; exit 1", "start": "x"}`})
	r := open(t, func(o *Options) { o.Repositories["octo/app"] = folder })
	_, err := r.Build(t.Context(), "octo/app", "main", nil, NewBuildLog())
	if err == nil || len(err.Error()) > logShown || !strings.HasPrefix(err.Error(), "line ") || !strings.HasSuffix(err.Error(), "line 2999\nThe build failed: exit status 1") {
		t.Errorf("the error: got %v, want the last lines and the reason in at most %d bytes", err, logShown)
	}
}

// The recipe's commands get the variables, and run in a copy: the repository itself is not
// written to.
func TestRecipe(t *testing.T) {
	t.Parallel()
	folder := write(t, map[string]string{
		"hosting.json": `{"build": "echo \"$GREETING\" > built; chmod 600 built", "start": "cat built; sleep 1000"}`,
	})
	r := open(t, func(o *Options) { o.Repositories["octo/app"] = folder })
	a := must.Get(r.App(Name{"i-1", "web"}))(t)
	env := map[string]string{"GREETING": "hello from the build"}
	must.Get(a.Deploy(build(t, r, env), Spec{HealthPath: "/", Env: env}))(t)
	machine.Until(t, "the app has read what was built", func() bool { return strings.Contains(a.Log(), "hello from the build") })
	if _, err := os.Stat(filepath.Join(folder, "built")); err == nil {
		t.Error("the build wrote into the repository")
	}
}

func TestShellStart(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"npm start":                "exec npm start",
		"./server --port=3000 -v ": "exec ./server --port=3000 -v ",
		"cd web && npm start":      "trap 'exit 143' TERM\ncd web && npm start",
		"A=b npm start":            "trap 'exit 143' TERM\nA=b npm start",
		"npm start -- \"$X\"":      "trap 'exit 143' TERM\nnpm start -- \"$X\"",
		"one; two":                 "trap 'exit 143' TERM\none; two",
		"one\ntwo":                 "trap 'exit 143' TERM\none\ntwo",
	} {
		if got := shellStart(command)[2]; got != want {
			t.Errorf("shellStart(%q): got %q, want %q", command, got, want)
		}
	}
}

// An app that a shell starts ends when asked to. The processes that it and its build
// started end too, in a sandbox even those in other sessions.
func TestAppBehindAShell(t *testing.T) {
	t.Parallel()
	session := ""
	if sandboxHere() != nil {
		session = "setsid "
	}
	mark := fmt.Sprintf("%ssleep %d%d", session, 1000+len(t.Name()), os.Getpid())
	// A shell that is asked to end while it starts a command can miss the signal, so the
	// test waits until the command runs.
	waiting := fmt.Sprintf("sleep %d%d", 2000+len(t.Name()), os.Getpid())
	folder := write(t, map[string]string{"hosting.json": fmt.Sprintf(
		`{"build": "%s & sleep 0.1", "start": "%s & echo begun; %s; echo over"}`, mark, mark, waiting)})
	// Processes that do not end when asked to are killed. The patience distinguishes that
	// from a busy machine.
	r := open(t, func(o *Options) { o.Repositories["octo/app"], o.Farewell = folder, machine.Patience })
	b := build(t, r, nil)
	sleeper := strings.TrimPrefix(mark, session)
	machine.Until(t, "nothing of the build runs", func() bool { return len(processes.With(t, sleeper)) == 0 })
	a := must.Get(r.App(Name{"i-1", "web"}))(t)
	must.Get(a.Deploy(b, Spec{HealthPath: "/"}))(t)
	machine.Until(t, "the app has begun", func() bool {
		return strings.Contains(a.Log(), "begun") && len(processes.With(t, sleeper)) > 0 && len(processes.With(t, waiting)) > 0
	})
	a.mu.Lock()
	shell := a.process
	a.mu.Unlock()
	must.Do(t, r.Remove(a.name, nil))
	if how := shell.How(); strings.Contains(how, "killed") {
		t.Errorf("the shell after Remove: got %q, want an end without a kill", how)
	}
	if strings.Contains(a.Log(), "over") {
		t.Error("the shell continued after Remove: its log contains \"over\"")
	}
	machine.Until(t, "nothing of the app runs", func() bool { return len(processes.With(t, sleeper)) == 0 })
}

func TestCommitOfAFolder(t *testing.T) {
	t.Parallel()
	folder := write(t, map[string]string{"hosting.json": `{"start": "true"}`, "a/b": "1", ".git-not/x": "1"})
	r := open(t, func(o *Options) { o.Repositories["octo/app"] = folder })
	commit := func(branch string) string {
		b := must.Get(r.Build(t.Context(), "octo/app", branch, nil, NewBuildLog()))(t)
		must.Do(t, b.Discard())
		return b.Commit
	}
	first := commit("main")
	if other := commit("other"); len(first) != 40 || other != first {
		t.Errorf("the commits of a folder: got %q and %q for another branch, want the same of 40 characters", first, other)
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, "a/b"), []byte("2"), 0o644))
	if second := commit("main"); second == first {
		t.Errorf("the commit of a changed folder: got %q, want another one than before", second)
	}
}

func TestBranchesOfAGitRepository(t *testing.T) {
	t.Parallel()
	folder := write(t, map[string]string{"hosting.json": `{"build": "cat version", "start": "true"}`, "version": "one"})
	git := func(arguments ...string) string {
		t.Helper()
		command := exec.Command("git", append([]string{"-C", folder, "-c", "user.name=n", "-c", "user.email=e@x.test", "-c", "init.defaultBranch=main"}, arguments...)...)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %s\n%s", arguments, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-qm", "one")
	git("checkout", "-qb", "next")
	must.Do(t, os.WriteFile(filepath.Join(folder, "version"), []byte("two"), 0o644))
	git("commit", "-qam", "two")
	// Uncommitted changes are not built.
	must.Do(t, os.WriteFile(filepath.Join(folder, "version"), []byte("three"), 0o644))
	r := open(t, func(o *Options) { o.Repositories["octo/app"] = folder })
	for branch, version := range map[string]string{"main": "one", "next": "two"} {
		log := NewBuildLog()
		b := must.Get(r.Build(t.Context(), "octo/app", branch, nil, log))(t)
		if want := git("rev-parse", branch); b.Commit != want || !strings.Contains(log.String(), version) {
			t.Errorf("%s: got commit %s and the log %s, want %s and the version %s", branch, b.Commit, log, want, version)
		}
	}
	for _, branch := range []string{"gone", "main~0", "main^{commit}", "HEAD", git("rev-parse", "main"), "refs/heads/main"} {
		_, err := r.Build(t.Context(), "octo/app", branch, nil, NewBuildLog())
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("branch %q of ", branch)) {
			t.Errorf("Build of the unknown branch %q: got error %v, want one that names the branch", branch, err)
		}
	}
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("the text: got\n%s\nwant %q in it", text, want)
		}
	}
}

func lacks(t *testing.T, text string, unwanted ...string) {
	t.Helper()
	for _, no := range unwanted {
		if strings.Contains(text, no) {
			t.Errorf("the text: got\n%s\nwant no %q in it", text, no)
		}
	}
}

// A program whose modules Go has already downloaded for the user of the tests is built
// without the network, and changes nothing in Go's caches.
func TestBuildWithAModule(t *testing.T) {
	t.Parallel()
	ours := must.Get(os.ReadFile("../../../go.mod"))(t)
	sums := must.Get(os.ReadFile("../../../go.sum"))(t)
	module := regexp.MustCompile(`github.com/google/go-cmp v\S+`).FindString(string(ours))
	folder := write(t, map[string]string{
		"go.mod": "module x\n\ngo 1.25\n\nrequire " + module + "\n", "go.sum": string(sums),
		"main.go": "package main\n\nimport \"github.com/google/go-cmp/cmp\"\n\nfunc main() { println(cmp.Equal(1, 1)) }\n",
	})
	r := open(t, func(o *Options) { o.Repositories["octo/app"], o.Go.Proxy = folder, "off" })
	if r.options.Go.Modules == "" {
		machine.Lacks(t, "Go has no module cache here")
	}
	log := NewBuildLog()
	if _, err := r.Build(t.Context(), "octo/app", "main", map[string]string{"GODEBUG": "http2client=0"}, log); err != nil {
		t.Errorf("the build: got error %v, want none; its log:\n%s", err, log)
	}
}
