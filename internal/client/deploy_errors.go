package client

import (
	"fmt"
	"net/http"
	"strings"
)

// A BuildError reports a failed build. Build.Error has the end of its log.
type BuildError struct {
	App   string
	Build Build
	// Before and After are the statuses of the app's record before the build was requested
	// and after it failed. Before is "" for an app that never ran. After is "" if the record
	// could not be read.
	Before, After string
}

func (e *BuildError) Error() string {
	return facts(e.buildText(), e.appText()) + endOfLog("build's", e.Build.Error)
}

func (e *BuildError) buildText() string {
	if e.Build.Status.cancelled() {
		return fmt.Sprintf("build %s of app %s was cancelled", e.Build.ID, e.App)
	}
	return fmt.Sprintf("build %s of app %s failed", e.Build.ID, e.App)
}

// appText describes what a failed build means for the app.
func (e *BuildError) appText() string {
	switch {
	case e.After == AppRunning:
		return "The app still runs the previous version"
	case e.After == AppFailed && e.Before == AppFailed:
		return "The app is still down"
	}
	return ""
}

// An AppError reports that an app that was deployed or restarted does not run: it did not
// answer its health path with 200 within a minute (SERVICE.md#apps). The version that ran
// before has been stopped.
type AppError struct {
	App    App    // its record, with Failure as far as the service reports it
	Before string // the earlier status of its record, "" for an app that never ran
}

func (e *AppError) Error() string {
	return facts("app "+e.App.Name+" does not run: "+e.healthText(), e.processText(), e.downText()) + endOfLog("app's", e.App.Failure.Log)
}

// healthText describes the result of the health checks.
func (e *AppError) healthText() string {
	path := e.App.HealthPath.Value
	if path == "" {
		path = "its health path"
	}
	if e.App.Port.Value != 0 {
		path += fmt.Sprintf(" on port %d", e.App.Port.Value)
	}
	status := e.App.Failure.Status
	switch {
	case !status.Set:
		return fmt.Sprintf("%s did not answer 200 within a minute", path)
	case status.Value == 0:
		return fmt.Sprintf("%s did not answer at all within a minute", path)
	case http.StatusText(status.Value) == "":
		return fmt.Sprintf("%s did not answer 200 within a minute; its last answer was %d", path, status.Value)
	}
	return fmt.Sprintf("%s did not answer 200 within a minute; its last answer was %d %s", path, status.Value, http.StatusText(status.Value))
}

func (e *AppError) processText() string {
	exited := e.App.Failure.Exited
	switch {
	case !exited.Set:
		return ""
	case exited.Value:
		return "The process ended by itself"
	}
	return "The process is still running"
}

// downText describes what the error means for the app's users.
func (e *AppError) downText() string {
	switch e.Before {
	case "":
		return ""
	case AppRunning:
		return "The app was running before this change and is down now"
	case AppFailed:
		return "The app was down before this change and still is"
	}
	return "The app is down now"
}

// facts joins sentences without full stops and skips empty ones.
func facts(sentences ...string) string {
	var known []string
	for _, sentence := range sentences {
		if sentence != "" {
			known = append(known, sentence)
		}
	}
	return strings.Join(known, ". ")
}

// endOfLog returns the end of a log, or "" if the log is empty. It indents the text
// because Terraform wraps unindented lines of an error. If the log is withheld, endOfLog
// returns the reason.
func endOfLog(whose string, log Log) string {
	if log.Withheld != nil {
		return fmt.Sprintf(". The %s log is not shown, because the app's variables could not be read to hide them in it: %s", whose, log.Withheld)
	}
	text := strings.Trim(log.Text, "\r\n")
	if text == "" {
		return ""
	}
	return ". The end of the " + whose + " log:\n\n  " + strings.ReplaceAll(text, "\n", "\n  ")
}
