package client

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// A log is shown once the values of the app's variables are hidden in it, including those
// set by another process. If the variables cannot be read, the log is not shown.
func TestLogsAreShownWithoutVariables(t *testing.T) {
	const log = "with a-canary and from-elsewhere"
	record := func(fields object) object {
		fields["name"], fields["failure"] = "a", object{"log": log}
		return fields
	}
	for name, row := range map[string]struct {
		app  object
		want Log
	}{
		"variables":               {record(object{"env": object{"A": "from-elsewhere", "B": ""}}), Log{Text: "with (secret) and (secret)"}},
		"no variables":            {record(object{"env": object{}}), Log{Text: "with (secret) and from-elsewhere"}},
		"variables are not told":  {record(object{}), Log{Withheld: errNoVariables}},
		"variables told as null":  {record(object{"env": nil}), Log{Withheld: errNoVariables}},
		"the longer secret first": {record(object{"env": object{"A": "canary", "B": "a-canary and from"}}), Log{Text: "with (secret)-elsewhere"}},
	} {
		c, _ := newTestClient(t, script{
			"GET /instances/i/apps/a/builds": says(200, object{"builds": []object{{"id": "b", "status": "failed", "error": log}}}),
			"GET /instances/i/apps/a":        says(200, row.app),
			"GET /instances/i/apps":          says(200, object{"apps": []object{row.app}}),
		}.Serve)
		c.HideSecret("a-canary")
		builds, err := c.Builds(t.Context(), "i", "a")
		if err != nil || builds[0].Error.Text != "" {
			t.Fatalf("%s: got %+v and error %v, want no log before the variables are known", name, builds, err)
		}
		c.ShowLogs(t.Context(), "i", "a", builds)
		app, err := c.App(t.Context(), "i", "a")
		apps, err2 := c.Apps(t.Context(), "i")
		if err != nil || err2 != nil || builds[0].Error != row.want || app.Failure.Log != row.want || apps[0].Failure.Log != row.want {
			t.Errorf("%s: got the logs %+v, %+v and %+v (%v, %v), want %+v", name, builds[0].Error, app.Failure.Log, apps[0].Failure.Log, err, err2, row.want)
		}
	}
}

// The variables are read only if there is a log.
func TestVariablesThatNoLogNeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, gateway(http.StatusBadGateway))
		builds := []Build{{ID: "b-2"}, {ID: "b-1"}}
		c.ShowLogs(t.Context(), "i", "a", builds)
		if n := len(wire.Requests()); n != 0 || builds[0].Error.Withheld != nil {
			t.Errorf("ShowLogs: got %d requests and %+v, want none and nothing withheld", n, builds)
		}
		builds[1].Error.raw = "a log"
		c.ShowLogs(t.Context(), "i", "a", builds)
		if log := builds[1].Error; !errors.Is(log.Withheld, transport.ErrForeign) || log.Text != "" {
			t.Errorf("build log: got %+v, want an empty text withheld with ErrForeign", log)
		}
	})
}
