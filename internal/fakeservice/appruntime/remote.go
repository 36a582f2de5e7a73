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

// secureCopy is how ssh names what is on another machine: git@host:owner/repo.git.
var secureCopy = regexp.MustCompile(`^[^/@:\s]+@[^/:\s]+:\S`)

// IsURL tells whether a repository is fetched by git from where a URL leads, and is no
// folder of this machine.
func IsURL(location string) bool {
	scheme, rest, found := strings.Cut(location, "://")
	return secureCopy.MatchString(location) ||
		found && rest != "" && slices.Contains([]string{"https", "http", "ssh", "git", "file"}, scheme)
}

// userInfo is what of a URL says who asks.
var userInfo = regexp.MustCompile(`([a-z+]+://)[^/@\s]+@`)

// WithoutCredentials is a location, or a text with one, to be shown.
func WithoutCredentials(text string) string { return userInfo.ReplaceAllString(text, "$1") }

// saidOfGit is how much of what git complained about is told.
const saidOfGit = 2 << 10

// fetch copies the newest commit of the branch, and nothing older, from where the URL
// leads, into a store of its own, from which the files are taken.
//
// A server is asked with the caller's own git configuration and keys; nobody is asked for
// a password. A repository of this machine may belong to another user, so nothing in it is
// carried out: git's server sends its commits as it would to a stranger, and neither that
// server nor the store has any configuration, attributes or hooks but git's own.
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

// A repository is a git repository of this machine, and the environment that git has there.
type repository struct {
	folder      string
	environment []string
}

// git runs git in the repository and returns what it writes.
func (r repository) git(ctx context.Context, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", append([]string{"-C", r.folder}, arguments...)...)
	command.Env = r.environment
	// What git has started may outlive it and hold its output.
	command.WaitDelay = 5 * time.Second
	var out, complaint bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaint
	if err := command.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("git: %w", err), errors.New(strings.TrimSpace(complaint.String())))
	}
	return out.String(), nil
}

// withoutConfiguration is an environment in which git finds other programs, and neither
// the system's configuration and attributes nor a user's.
func withoutConfiguration(environment []string) []string {
	alone := []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}
	for _, variable := range environment {
		if name, _, _ := strings.Cut(variable, "="); slices.Contains([]string{"PATH", "TMPDIR", "SYSTEMROOT"}, name) {
			alone = append(alone, variable)
		}
	}
	return alone
}

// withoutPassword is the end of what git has said, without what the URL tells of who asks.
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

// unasked makes git and ssh fail where they would ask a person.
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
