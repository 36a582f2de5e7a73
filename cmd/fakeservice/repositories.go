package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
)

// repositories are the repositories that the account's code-hosting integration sees. The
// key is owner/repo, and the value is a folder on this machine or the URL that git fetches
// from.
type repositories map[string]string

// String returns a text without the passwords of URLs, so that it can be shown.
func (r repositories) String() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r)) {
		all = append(all, name+"="+appruntime.WithoutCredentials(r[name]))
	}
	return strings.Join(all, " ")
}

// Set adds one, as owner/repo=folder or owner/repo=URL.
func (r repositories) Set(text string) error {
	name, where, found := strings.Cut(text, "=")
	owner, repository, isPath := strings.Cut(name, "/")
	if !found || where == "" || !isPath || owner == "" || repository == "" || strings.Contains(repository, "/") {
		return fmt.Errorf("%q is not of the form owner/repo=folder or owner/repo=URL", appruntime.WithoutCredentials(text))
	}
	if strings.Contains(where, "://") && !appruntime.IsURL(where) {
		return fmt.Errorf("%q is not a URL that the fake can fetch from: https, http, ssh, git, file, or git@host:path", appruntime.WithoutCredentials(where))
	}
	r[name] = where
	return nil
}

// patience is the time within which a deployed app must answer: a minute of the fake's
// clock, but never less than a program really needs to start.
func patience(speed float64) time.Duration {
	return max(time.Duration(float64(time.Minute)/speed), 15*time.Second)
}
