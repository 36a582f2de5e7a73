package client

import (
	"context"
	"errors"
	"slices"
)

// A Log is the end of the log of a build or an app. The log may contain the values of the
// app's variables, even those that another process set. So its text leaves the package
// only after the variables were read and hidden in it.
type Log struct {
	Text     string
	Withheld error // why Text is empty although there is a log, or nil

	raw string // as the service returned it
}

// UnmarshalJSON never returns an error, because a log is only informative.
func (l *Log) UnmarshalJSON(raw []byte) error {
	var text Informal[string]
	err := text.UnmarshalJSON(raw)
	*l = Log{raw: text.Value}
	return err
}

var errNoVariables = errors.New("the app's record does not hold them")

// showLog shows a log without the values of the app's variables. unread is the error of
// reading the app's record, or nil. If the variables are unknown, the log stays withheld.
func (c *Client) showLog(l *Log, app App, unread error) {
	switch {
	case l.raw == "":
	case unread != nil:
		*l = Log{Withheld: unread}
	case !app.Env.Set:
		*l = Log{Withheld: errNoVariables}
	default:
		*l = Log{Text: c.secrets.HideVariables(l.raw, app.Env.Value)}
	}
}

// ShowLogs shows the logs of an app's builds. It reads the app's variables for that.
func (c *Client) ShowLogs(ctx context.Context, instanceID, name string, builds []Build) {
	if !slices.ContainsFunc(builds, func(b Build) bool { return b.Error.raw != "" }) {
		return
	}
	app, err := c.App(ctx, instanceID, name)
	for i := range builds {
		c.showLog(&builds[i].Error, app, err)
	}
}
