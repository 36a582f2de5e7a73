package appruntime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// secureCopy matches the form in which ssh names a location on another machine:
// git@host:owner/repo.git.
var secureCopy = regexp.MustCompile(`^[^/@:\s]+@[^/:\s]+:\S`)

// IsURL reports whether a repository is a URL from which git fetches, and not a folder on
// this machine.
func IsURL(location string) bool {
	scheme, rest, found := strings.Cut(location, "://")
	return secureCopy.MatchString(location) ||
		found && rest != "" && slices.Contains([]string{"https", "http", "ssh", "git", "file"}, scheme)
}

// userInfo matches the part of a URL that contains the credentials.
var userInfo = regexp.MustCompile(`([a-z+]+://)[^/@\s]+@`)

// WithoutCredentials returns a location, or a text that contains one, in a form that can be
// shown.
func WithoutCredentials(text string) string { return userInfo.ReplaceAllString(text, "$1") }

// saidOfGit is the maximum number of bytes of git's complaint that are shown.
const saidOfGit = 2 << 10

// fetch copies the newest commit of the branch, without its history, from the URL into a
// temporary store, and takes the files from there.
//
// Requests to a server use the caller's own git configuration and keys, and never prompt
// for a password. A repository on this machine may belong to another user, so nothing in it
// is executed. Git's server sends its commits as it would to a stranger. If this program is
// root, that server runs as the other user, who may change the repository at any time to
// lead git to another one. Neither that server nor the store has any configuration, attributes or
// hooks except git's defaults.
func (s source) fetch(ctx context.Context, folder string, environment []string) (commit string, err error) {
	folderOfStore, err := os.MkdirTemp(filepath.Dir(folder), "git-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folderOfStore)) }()
	store := repository{folderOfStore, withoutConfiguration(environment), s.most}
	if _, err := store.git(ctx, "init", "--quiet", "--bare", "--template=", "."); err != nil {
		return "", err
	}
	arguments := []string{"fetch", "--quiet", "--depth", "1", "--no-tags"}
	asking := repository{folderOfStore, unasked(environment), s.most}
	failed := func(err error) error {
		return fmt.Errorf("branch %q of %s could not be fetched\n%s", s.branch, WithoutCredentials(s.path), s.withoutPassword(err.Error()))
	}
	location := s.path
	if path, local := strings.CutPrefix(s.path, "file://"); local {
		asking = store
		records, owner, err := store.local(ctx, path)
		if err != nil {
			return "", failed(err)
		}
		location = fileURL(records)
		arguments = append(arguments, "--upload-pack", owner+"git -c safe.directory=* -c core.bigFileThreshold=8m upload-pack --strict")
	}
	arguments = append(arguments, "--", location, "refs/heads/"+s.branch)
	if _, err := asking.git(ctx, arguments...); err != nil {
		return "", failed(err)
	}
	if commit, err = store.git(ctx, "rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}"); err != nil {
		return "", err
	}
	commit = strings.TrimSpace(commit)
	return commit, store.export(ctx, commit, folder)
}

// fileURL returns the URL of an absolute path.
func fileURL(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// local returns the folder with git's records of a repository on this machine, and the
// start of the command that reads them as the user who controls it. path is escaped as in a
// URL.
func (r repository) local(ctx context.Context, path string) (records, owner string, err error) {
	if path, err = url.PathUnescape(path); err != nil {
		return "", "", err
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		return "", "", errors.New("a file URL has no host: file:///srv/app")
	}
	if records, err = r.gitFolder(ctx, path); err != nil {
		return "", "", err
	}
	if owner, err = asOwner(path); err == nil && owner == "" {
		owner, err = asOwner(records)
	}
	return records, owner, err
}

// A repository is a git repository on this machine, with the environment in which git runs
// there, and the maximum size in bytes of the files that git writes.
type repository struct {
	folder      string
	environment []string
	most        int64
}

// streamed is the configuration with which git keeps no large file in memory, and writes
// what it fetches to a single file.
var streamed = []string{"-c", "core.bigFileThreshold=8m", "-c", "fetch.unpackLimit=1"}

// command returns a command that runs git in the repository. Its complaints, which a server
// may send without end, are in the tail.
func (r repository) command(ctx context.Context, arguments ...string) (*exec.Cmd, *process.Tail) {
	words := slices.Concat([]string{"git"}, streamed, []string{"-C", r.folder}, arguments)
	words = writingAtMost(r.most, words...)
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Env = r.environment
	// Processes that git started may outlive it and keep its output open.
	command.WaitDelay = 5 * time.Second
	complaint := process.NewTail(logKept)
	command.Stderr = complaint
	return command, complaint
}

// git runs git in the repository and returns its output.
func (r repository) git(ctx context.Context, arguments ...string) (string, error) {
	command, complaint := r.command(ctx, arguments...)
	var out bytes.Buffer
	command.Stdout = &out
	err := command.Run()
	return out.String(), explained(err, complaint)
}

// export writes the files of a commit into a folder, as git sends them. It does not wait
// for the rest if the folder cannot take them.
func (r repository) export(ctx context.Context, commit, folder string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	command, complaint := r.command(ctx, "archive", "--format=tar", commit)
	archive, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	if err := unpack(archive, folder, r.most); err != nil {
		cancel()
		_ = command.Wait()
		if said := strings.TrimSpace(complaint.String()); said != "" {
			err = errors.Join(errors.New(said), err) // the archive may have ended early for that
		}
		return err
	}
	// Git pads the archive.
	_, err = io.Copy(io.Discard, archive)
	return errors.Join(err, explained(command.Wait(), complaint))
}

// explained returns an error of git with git's own words, or nil if err is nil.
func explained(err error, complaint *process.Tail) error {
	if err == nil {
		return nil
	}
	return errors.Join(fmt.Errorf("git: %w", err), errors.New(strings.TrimSpace(complaint.String())))
}

// withoutConfiguration returns an environment in which git finds other programs, but
// neither the system's configuration and attributes nor a user's.
func withoutConfiguration(environment []string) []string {
	alone := []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}
	for _, variable := range environment {
		if name, _, _ := strings.Cut(variable, "="); slices.Contains([]string{"PATH", "TMPDIR", "SYSTEMROOT"}, name) {
			alone = append(alone, variable)
		}
	}
	return alone
}

// withoutPassword returns the end of git's output, without the credentials of the URL.
func (s source) withoutPassword(text string) string {
	text = WithoutCredentials(text)
	if u, err := url.Parse(s.path); err == nil && u.User != nil {
		if password, set := u.User.Password(); set && password != "" {
			text = strings.NewReplacer(password, "***", url.QueryEscape(password), "***", url.PathEscape(password), "***").Replace(text)
		}
	}
	end := process.NewTail(saidOfGit)
	_, _ = end.Write([]byte(text)) // a tail's writer never fails
	return end.String()
}

// unasked returns an environment in which git and ssh fail instead of prompting.
func unasked(environment []string) []string {
	environment = append(slices.Clone(environment), "GIT_TERMINAL_PROMPT=0")
	asks := func(name string) bool {
		return slices.ContainsFunc(environment, func(variable string) bool { return strings.HasPrefix(variable, name+"=") })
	}
	if !asks("SSH_ASKPASS") {
		environment = append(environment, "SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=force")
	}
	return environment
}
