package appruntime

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

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
// leads. The caller's own git configuration and keys open the way; nobody is asked for a
// password.
func (s source) fetch(ctx context.Context, folder string, environment []string) (commit string, err error) {
	store, err := os.MkdirTemp(filepath.Dir(folder), "git-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(store)) }()
	local := source{store, "FETCH_HEAD"}
	if _, err := local.git(ctx, environment, "init", "--quiet", "--bare", "."); err != nil {
		return "", err
	}
	arguments := []string{"fetch", "--quiet", "--depth", "1", "--no-tags"}
	if strings.HasPrefix(s.path, "file://") {
		// As with a folder, it may belong to another user than the one who runs this.
		arguments = append(arguments, "--upload-pack", "git -c safe.directory=* upload-pack")
	}
	arguments = append(arguments, "--", s.path, "refs/heads/"+s.branch)
	if _, err := local.git(ctx, environment, arguments...); err != nil {
		return "", fmt.Errorf("branch %q of %s could not be fetched\n%s", s.branch, WithoutCredentials(s.path), s.withoutPassword(err.Error()))
	}
	return local.copyGit(ctx, folder, environment)
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
