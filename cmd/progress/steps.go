package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/progress"
	"github.com/instance-hosting/terraform-provider-hosting/internal/terminal"
)

// A step is a job or build.
type step struct {
	began time.Time
	last  progress.Line
}

// name returns the step's title, such as "hosting_app web: build".
func (s step) name() string {
	resource := cmp.Or(s.last.Type, "resource")
	return fmt.Sprintf("%s %s: %s", resource, cmp.Or(s.last.Name, s.last.ID), s.last.Operation)
}

// took returns how long the step has lasted at a time.
func (s step) took(now time.Time) time.Duration {
	if s.last.Ended() {
		now = s.last.Time
	}
	return now.Sub(s.began).Round(time.Second)
}

// nearlyDone is the largest percentage of a step that has not ended.
const nearlyDone = 99

// percent returns the percentage to show: the service's, or the share of the estimated
// duration if that is larger.
func (s step) percent(now time.Time) int {
	if s.last.Status == progress.StatusDone {
		return 100
	}
	percent := s.last.Percent
	if whole := s.last.EstimatedEnd.Sub(s.began); !s.last.EstimatedEnd.IsZero() && whole > 0 {
		percent = max(percent, int(100*now.Sub(s.began)/whole))
	}
	return min(percent, nearlyDone)
}

// steps are the jobs and builds of one or more applies, in the order in which they began.
type steps struct {
	order []*step
	byKey map[string]*step
}

// add adds a line. It returns the line's step, and reports whether the step is new. Texts
// of the service and of build logs must not control the terminal.
func (s *steps) add(l progress.Line) (of step, isNew bool) {
	for _, text := range []*string{&l.Type, &l.Name, &l.ID, &l.Operation, &l.Status, &l.Log} {
		*text = terminal.Printable(*text)
	}
	if s.byKey == nil {
		s.byKey = map[string]*step{}
	}
	stored := s.byKey[l.Key()]
	if stored == nil {
		stored, isNew = &step{began: l.Time}, true
		s.byKey[l.Key()] = stored
		s.order = append(s.order, stored)
	}
	stored.last = l
	return *stored, isNew
}

// result describes a step, whether it has ended or not.
func (s step) result(now time.Time) string {
	switch s.last.Status {
	case progress.StatusDone:
		return fmt.Sprintf("%-7s %8s  %s", "done", s.took(now), s.name())
	case progress.StatusFailed:
		text := fmt.Sprintf("%-7s %8s  %s", "failed", s.took(now), s.name())
		if s.last.Log != "" {
			text += "\n                  " + s.last.Log
		}
		return text
	}
	return fmt.Sprintf("%-7s %8s  %s, %s at %d %%", "open", s.took(now), s.name(), s.last.Status, s.last.Percent)
}

// summarize writes the time of each step, the longest first.
func (s *steps) summarize(out io.Writer, now time.Time) {
	if len(s.order) == 0 {
		fmt.Fprintln(out, "There was no progress.")
		return
	}
	longest := slices.Clone(s.order)
	slices.SortStableFunc(longest, func(a, b *step) int { return cmp.Compare(b.took(now), a.took(now)) })
	fmt.Fprintln(out, "The steps, the longest first:")
	for _, of := range longest {
		fmt.Fprintln(out, "  "+of.result(now))
	}
}
