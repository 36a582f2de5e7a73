package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// running reports whether the work is in progress.
func (w loggedWork) running() bool { return w.Status == "running" }

// doing describes the fake's current work in a few words. log is the end of a build's
// output so far.
func (w loggedWork) doing(now time.Time, log string) string {
	elapsed := ""
	if w.RealStarted != nil {
		elapsed = ", " + now.Sub(*w.RealStarted).Truncate(time.Second).String()
	}
	if w.Operation != buildOperation {
		return fmt.Sprintf("%s %s %d %%%s", w.Operation, bar(w.Progress), w.Progress, elapsed)
	}
	text := "build of " + w.App + elapsed
	if said := lastLine(log); said != "" {
		text += ": " + said
	}
	return text
}

// lastLine returns the last line of a text that is not blank.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// activity describes the fake's current work; it is "" if there is none.
func (f *fakeProcess) activity(ctx context.Context) (string, error) {
	all, err := f.work(ctx)
	if err != nil {
		return "", err
	}
	var doing []string
	for _, work := range all {
		if !work.running() {
			continue
		}
		var log string
		if work.Operation == buildOperation {
			// The log is only decoration, and a build may have been deleted with its app.
			log, _ = f.buildLog(ctx, work)
		}
		doing = append(doing, work.doing(time.Now(), log))
	}
	return strings.Join(doing, " · "), nil
}

// buildLog returns the end of a build's output so far.
func (f *fakeProcess) buildLog(ctx context.Context, build loggedWork) (string, error) {
	var answer struct {
		Log string `json:"log"`
	}
	path, err := url.JoinPath("/_fake/apps", build.InstanceID, build.App, "builds", build.ID, "log")
	if err != nil {
		return "", err
	}
	err = f.get(ctx, path, &answer)
	return answer.Log, err
}

// show reports the running jobs and builds to the screen, until it is stopped or the fake
// ends. It uses the fake's control routes, and only if there is a terminal.
func (f *fakeProcess) show(screen *screen) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		looks := time.NewTicker(2 * frameLength)
		defer looks.Stop()
		for {
			select {
			case <-looks.C:
			case <-f.ended:
				return
			case <-ctx.Done():
				return
			}
			if screen.columns() > 0 {
				// If the fake does not answer, the steps that need it report that.
				doing, _ := f.activity(ctx)
				screen.tell(doing)
			}
		}
	}()
	return func() {
		cancel()
		<-stopped
	}
}
