package appruntime

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// gitRepository creates a repository with one commit on main, whose build prints its
// version. The returned function commits another version.
func gitRepository(t *testing.T) (folder string, commit func(version string) string) {
	t.Helper()
	folder = write(t, map[string]string{"hosting.json": `{"build": "cat version", "start": "true"}`})
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
	commit = func(version string) string {
		t.Helper()
		must.Do(t, os.WriteFile(filepath.Join(folder, "version"), []byte(version), 0o644))
		git("add", "-A")
		git("commit", "-qm", version)
		return git("rev-parse", "HEAD")
	}
	return folder, commit
}

// gitServer serves repositories below a folder to the user ada with the password hunter2.
func gitServer(t *testing.T, root string) *httptest.Server {
	t.Helper()
	git := must.Get(exec.LookPath("git"))(t)
	backend := &cgi.Handler{
		Path: git, Args: []string{"-c", "safe.directory=*", "http-backend"},
		Env:    []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"},
		Stderr: io.Discard,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ada" || password != "hunter2" {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

// A repository with a URL is fetched for each build, so that the newest commit of the
// branch is built. Only the build itself stays on the disk.
func TestRepositoryFromAURL(t *testing.T) {
	t.Parallel()
	folder, commit := gitRepository(t)
	server := gitServer(t, filepath.Dir(folder))
	for way, location := range map[string]string{
		"file": "file://" + folder,
		"http": strings.Replace(server.URL, "http://", "http://ada:hunter2@", 1) + "/" + filepath.Base(folder) + "/.git",
	} {
		r := open(t, func(o *Options) { o.Repositories["octo/app"] = location })
		for _, version := range []string{"one", "two"} {
			want, log := commit(version+" by "+way), NewBuildLog()
			b := must.Get(r.Build(t.Context(), "octo/app", "main", nil, log))(t)
			if b.Commit != want || !strings.Contains(log.String(), version) || strings.Contains(log.String(), "hunter2") {
				t.Errorf("%s: got commit %s and the log %s, want %s, the version %s and no password", location, b.Commit, log, want, version)
			}
			if left := glob(t, r, filepath.Base(b.folder)+"/git-*"); len(left) > 0 {
				t.Errorf("git files of the build: got %v, want none", left)
			}
			must.Report(t, b.Discard())
		}
	}
}

// Nothing in a repository on this machine is executed, and neither is anything that the
// configuration of this process's user says about such a repository.
func TestRepositoryCarriesOutNothing(t *testing.T) {
	t.Parallel()
	folder, commit := gitRepository(t)
	canary := filepath.Join(t.TempDir(), "canary")
	touch := "touch " + canary + "; cat"
	home := write(t, map[string]string{
		".gitconfig": "[filter \"x\"]\n\tsmudge = " + touch + "\n\tclean = cat\n[core]\n\thooksPath = " + filepath.Join(folder, "hooks") + "\n",
	})
	for name, content := range map[string]string{
		".gitattributes": "* filter=x\n", "hooks/post-checkout": "#!/bin/sh\n" + touch, "hooks/reference-transaction": "#!/bin/sh\n" + touch,
	} {
		must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o755))
	}
	commit("one")
	configuration := filepath.Join(folder, ".git", "config")
	before := must.Get(os.ReadFile(configuration))(t)
	hostile := "[filter \"x\"]\n\tsmudge = " + touch + "\n[core]\n\tfsmonitor = " + touch + "\n\thooksPath = " + filepath.Join(folder, "hooks") + "\n[uploadpack]\n\tpackObjectsHook = " + touch + "\n"
	must.Do(t, os.WriteFile(configuration, append(before, hostile...), 0o644))
	for _, location := range []string{folder, "file://" + folder} {
		r := open(t, func(o *Options) {
			o.Repositories["octo/app"] = location
			o.Environment = append(o.Environment, "HOME="+home, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=filter.x.smudge", "GIT_CONFIG_VALUE_0="+touch)
		})
		b := must.Get(r.Build(t.Context(), "octo/app", "main", nil, NewBuildLog()))(t)
		must.Report(t, b.Discard())
		if _, err := os.Stat(canary); err == nil {
			t.Errorf("%s: got a file that the repository made, want none", location)
		}
	}
}

// A failed build reports git's complaint, without the credentials of the URL.
func TestRepositoryThatCannotBeFetched(t *testing.T) {
	t.Parallel()
	folder, commit := gitRepository(t)
	commit("one")
	server := gitServer(t, filepath.Dir(folder))
	with := func(userinfo string) string {
		return strings.Replace(server.URL, "http://", "http://"+userinfo, 1) + "/" + filepath.Base(folder) + "/.git"
	}
	for name, row := range map[string]struct{ location, branch, want string }{
		"no branch":       {with("ada:hunter2@"), "gone", "couldn't find remote ref refs/heads/gone"},
		"wrong password":  {with("ada:Xq7secret@"), "main", "Authentication failed"},
		"no password":     {with(""), "main", "terminal prompts disabled"},
		"a token alone":   {with("Xq7secret@"), "main", "terminal prompts disabled"},
		"nothing there":   {strings.Replace(with("ada:hunter2@"), "/"+filepath.Base(folder)+"/", "/nowhere/", 1), "main", "not found"},
		"no repository":   {"file://" + filepath.Dir(folder), "main", "does not appear to be a git repository"},
		"not an option":   {"file://" + folder, "--upload-pack=x", "could not be fetched"},
		"nobody's server": {"http://ada:Xq7secret@127.0.0.1:1/x.git", "main", "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, func(o *Options) { o.Repositories["octo/app"] = row.location })
			log := NewBuildLog()
			_, err := r.Build(t.Context(), "octo/app", row.branch, nil, log)
			failed := (*BuildError)(nil)
			if !errors.As(err, &failed) || !strings.Contains(failed.Log, row.want) || !strings.Contains(failed.Log, "could not be fetched") {
				t.Fatalf("the build: got error %v, want a BuildError with %q that says that it could not be fetched", err, row.want)
			}
			for _, secret := range []string{"hunter2", "Xq7secret"} {
				if strings.Contains(failed.Log, secret) || strings.Contains(log.String(), secret) {
					t.Errorf("the log: got %q, want no password", failed.Log)
				}
			}
			if left := glob(t, r, "build-*"); len(left) > 0 {
				t.Errorf("files of the build: got %v, want none", left)
			}
		})
	}
}

// The wait for a server that never answers ends with the time limit of the build.
func TestRepositoryThatNeverAnswers(t *testing.T) {
	t.Parallel()
	asked, stop := make(chan struct{}, 10), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-stop
	}))
	defer server.Close()
	defer close(stop)
	r := open(t, func(o *Options) { o.Repositories["octo/app"] = server.URL + "/x.git" })
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	// Only the end of the test makes the server answer.
	if _, err := r.Build(ctx, "octo/app", "main", nil, NewBuildLog()); err == nil {
		t.Error("a build that is canceled: got no error, want one")
	}
}

func TestIsURL(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]bool{
		"https://git.example/a.git": true, "ssh://git@git.example/a": true, "file:///srv/a": true, "git@git.example:a/b.git": true,
		"../shop": false, "/srv/a@b:c": false, "C:/src": false, "ext::sh -c x": false, "ftp://x/y": false, "https://": false, "a@b": false,
	} {
		if got := IsURL(location); got != want {
			t.Errorf("IsURL(%q): got %t, want %t", location, got, want)
		}
	}
}
