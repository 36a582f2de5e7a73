package main

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// buildOperation is the name of a build among the jobs.
const buildOperation = "build"

// task is a finished job or build of the fake.
type task struct {
	instance  string
	operation string
	// took is its duration, by the fake's clock.
	took time.Duration
	// settled is its end, by the machine's clock.
	settled time.Time
}

// timeline is the fake's log of an apply.
type timeline struct {
	// firstPOST is the time of the first POST, by the machine's clock.
	firstPOST time.Time
	tasks     []task
}

// needs lists the tasks of an instance that must be over before an operation can begin,
// whatever the client. Operations that are not listed need only the creation.
var needs = map[string][]string{
	"create":        nil,
	"app_update":    {"app_import"},
	buildOperation:  {"app_import"},
	"auth_settings": {buildOperation},
}

// criticalPath returns the longest chain of tasks if each waits only for the tasks that it
// needs. No client can be faster than the sum of its durations.
func criticalPath(tasks []task) []task {
	// The chain of an operation is computed again for each work that needs it. With a dozen
	// tasks in an apply, caching is not worthwhile.
	var chain func(last task) []task
	chain = func(last task) []task {
		required, listed := needs[last.operation]
		if !listed {
			required = []string{"create"}
		}
		var longest []task
		for _, before := range tasks {
			for _, operation := range required {
				if before.operation == operation && before.instance == last.instance {
					longest = longer(longest, chain(before))
				}
			}
		}
		return append(longest[:len(longest):len(longest)], last)
	}
	var longest []task
	for _, last := range tasks {
		longest = longer(longest, chain(last))
	}
	return longest
}

func longer(a, b []task) []task {
	if total(b) > total(a) {
		return b
	}
	return a
}

func total(tasks []task) time.Duration {
	var sum time.Duration
	for _, task := range tasks {
		sum += task.took
	}
	return sum
}

// span returns the time from the first POST to the end of the last job or build, by the
// fake's clock, which runs speed times as fast as the machine's.
func (t timeline) span(speed float64) time.Duration {
	var last time.Time
	for _, task := range t.tasks {
		if task.settled.After(last) {
			last = task.settled
		}
	}
	return time.Duration(float64(last.Sub(t.firstPOST)) * speed)
}

// mostRatio is the maximum duration of an apply as a multiple of its critical path.
const mostRatio = 1.25

// report compares the span with the critical path. It returns a summary and the jobs of the
// path even if the error is about their ratio.
func (t timeline) report(speed float64) (summary, jobs string, err error) {
	if t.firstPOST.IsZero() || len(t.tasks) == 0 {
		return "", "", errors.New("the fake has logged no POST, or no job")
	}
	path := criticalPath(t.tasks)
	var names []string
	for _, task := range path {
		names = append(names, fmt.Sprintf("%s %s", task.operation, rounded(task.took)))
	}
	span, least := t.span(speed), total(path)
	if least <= 0 {
		return "", "", errors.New("no job in the fake's log took any time")
	}
	summary = fmt.Sprintf("%s of the service's time: %s for jobs, %s for the rest", rounded(span), rounded(least), rounded(span-least))
	jobs = "The jobs that waited for each other: " + strings.Join(names, ", ")
	if most := time.Duration(float64(least) * mostRatio); span > most {
		return summary, jobs, fmt.Errorf("the apply took %s of the service's time, and its jobs need %s: at most %s is expected", rounded(span), rounded(least), rounded(most))
	}
	return summary, jobs, nil
}

func rounded(d time.Duration) time.Duration {
	return d.Round(time.Second)
}
