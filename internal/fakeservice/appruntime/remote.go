package appruntime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
// is executed. Git's server sends its commits as it would to a stranger. Neither that
// server nor the store has any configuration, attributes or hooks except git's defaults.
func (s source) fetch(ctx context.Context, folder string, environment []string) (commit string, err error) {
	folderOfStore, err := os.MkdirTemp(filepath.Dir(folder), "git-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folderOfStore)) }()
	store := repository{folderOfStore, withoutConfiguration(environment)}
	if _, err := store.git(ctx, "init", "--quiet", "--bare", "--template=", "."); err != nil {
		return "", err
	}
	arguments := []string{"fetch", "--quiet", "--depth", "1", "--no-tags"}
	asking := repository{folderOfStore, unasked(environment)}
	if strings.HasPrefix(s.path, "file://") {
		asking = store
		arguments = append(arguments, "--upload-pack", "git -c safe.directory=* upload-pack")
	}
	arguments = append(arguments, "--", s.path, "refs/heads/"+s.branch)
	if _, err := asking.git(ctx, arguments...); err != nil {
		return "", fmt.Errorf("branch %q of %s could not be fetched\n%s", s.branch, WithoutCredentials(s.path), s.withoutPassword(err.Error()))
	}
	if commit, err = store.git(ctx, "rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}"); err != nil {
		return "", err
	}
	commit = strings.TrimSpace(commit)
	archive, err := store.git(ctx, "archive", "--format=tar", commit)
	if err != nil {
		return commit, err
	}
	return commit, unpack(strings.NewReader(archive), folder)
}

// A repository is a git repository on this machine, with the environment in which git runs
// there.
type repository struct {
	folder      string
	environment []string
}

// git runs git in the repository and returns its output.
func (r repository) git(ctx context.Context, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", append([]string{"-C", r.folder}, arguments...)...)
	command.Env = r.environment
	// Processes that git started may outlive it and keep its output open.
	command.WaitDelay = 5 * time.Second
	var out, complaint bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaint
	if err := command.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("git: %w", err), errors.New(strings.TrimSpace(complaint.String())))
	}
	return out.String(), nil
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
