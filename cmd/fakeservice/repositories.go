package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// repositories are those that the account's code-hosting integration sees, by
// owner/repo, each with the folder of this machine that stands for it.
type repositories map[string]string

// String is for the flag's help.
func (r repositories) String() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r)) {
		all = append(all, name+"="+r[name])
	}
	return strings.Join(all, " ")
}

// Set adds one, as owner/repo=folder.
func (r repositories) Set(text string) error {
	name, folder, found := strings.Cut(text, "=")
	owner, repository, isPath := strings.Cut(name, "/")
	if !found || folder == "" || !isPath || owner == "" || repository == "" || strings.Contains(repository, "/") {
		return fmt.Errorf("%q is not of the form owner/repo=folder", text)
	}
	r[name] = folder
	return nil
}

// patience is how long a deployed app may take to answer: a minute of the
// fake's clock, but never less than a program really needs to start.
func patience(speed float64) time.Duration {
	return max(time.Duration(float64(time.Minute)/speed), 15*time.Second)
}
