package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
)

// methods are the methods of requests that a fault can affect.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// Check refuses a fault that can never match a request, or whose effects exclude each
// other.
func (f Fault) Check() error {
	if f.Method != "" && !slices.Contains(methods, f.Method) {
		return fmt.Errorf("method: %q is not one of %s", f.Method, strings.Join(methods, ", "))
	}
	if err := checkGlob(f.Path); err != nil {
		return err
	}
	if err := CheckPage(f.Page); err != nil {
		return err
	}
	if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
		return errors.New("status must be from 200 to 599")
	}
	if f.Skip < 0 || f.For < 0 || f.CommitAfter < 0 || f.Delay < 0 || f.BodySize < 0 || f.Pace < 0 || f.Lag < 0 {
		return errors.New("skip, for, commit_after, delay, body_size, pace and lag must not be under 0")
	}
	return f.checkEffects()
}

// CheckPage refuses a status that is not an error. 0 means no page.
func CheckPage(page int) error {
	if page != 0 && (page < 400 || page > 599) {
		return errors.New("page must be from 400 to 599")
	}
	return nil
}

// checkGlob refuses a glob that matches no path. "" matches every path.
func checkGlob(glob string) error {
	if glob == "" {
		return nil
	}
	if !strings.HasPrefix(glob, "/") || strings.Contains(glob, "?") {
		return fmt.Errorf("path: %q must begin with a slash and have no query", glob)
	}
	for part := range strings.SplitSeq(glob, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Errorf("path: %q is not a glob", glob)
		}
	}
	if before, _, found := strings.Cut(glob, "**"); found && before+"**" != glob {
		return fmt.Errorf("path: %q: ** is for the end", glob)
	}
	return nil
}

// checkEffects refuses effects that exclude each other.
func (f Fault) checkEffects() error {
	answers := 0
	for _, has := range []bool{f.Drop, f.Page != 0, f.Status != 0} {
		if has {
			answers++
		}
	}
	switch {
	case answers > 1:
		return errors.New("drop, page and status exclude each other: a request has one answer")
	case f.AfterCommit && f.CommitAfter > 0:
		return errors.New("after_commit and commit_after exclude each other: the service sees a request once")
	case f.Truncate && f.BreakOff:
		return errors.New("truncate and break_off exclude each other")
	case f.Body != nil && f.BodySize > 0:
		return errors.New("body and body_size exclude each other")
	case f.Status == 0 && (f.Code != "" || f.Detail != ""):
		return errors.New("code and detail need status")
	case f.Pace > 0 && f.BodySize == 0:
		return errors.New("pace needs body_size")
	}
	return nil
}
