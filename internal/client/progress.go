package client

import (
	"context"
	"strings"
	"time"
)

// OpBuild is the operation of a Progress about a build, which is not a job.
const OpBuild = "build"

// A Progress is a state of a job or build that the client waits for. It contains no secret.
type Progress struct {
	InstanceID string
	App        string // of a build
	Target     string // of a job: the path under the instance, or ""
	Operation  string // of the job, or OpBuild
	JobID      string
	BuildID    string

	Status       string // the service's word
	Done, Failed bool
	Percent      int       // 0 to 100; 0 if the service reports none
	EstimatedEnd time.Time // by the progress so far; zero if the service reports none
	LogLine      string    // the last line of a failed build's log, or ""
}

// report passes a state of a job or build to Options.Progress.
type report func(ctx context.Context, status Word, percent int, change func(*Progress))

// progressOf returns a function that reports each state of one job or build once.
func (c *Client) progressOf(of Progress) report {
	begun := time.Now()
	var told Progress
	return func(ctx context.Context, status Word, percent int, change func(*Progress)) {
		now := of
		now.Status, now.Percent, now.Failed = c.secrets.Hide(string(status)), percent, status.failed()
		if change != nil {
			change(&now)
		}
		if now == told {
			return
		}
		told = now
		if percent > 0 && percent < 100 && !now.Done && !now.Failed {
			now.EstimatedEnd = begun.Add(time.Since(begun) * 100 / time.Duration(percent))
		}
		c.progress(ctx, now)
	}
}

// lastLine returns the last line of a log that is not empty.
func lastLine(log string) string {
	log = strings.TrimSpace(log)
	return strings.TrimSpace(log[strings.LastIndexByte(log, '\n')+1:])
}
