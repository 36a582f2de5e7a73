package client

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
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
			t.Fatalf("%s: %+v is shown before the variables are known, %v", name, builds, err)
		}
		c.ShowLogs(t.Context(), "i", "a", builds)
		app, err := c.App(t.Context(), "i", "a")
		apps, err2 := c.Apps(t.Context(), "i")
		if err != nil || err2 != nil || builds[0].Error != row.want || app.Failure.Log != row.want || apps[0].Failure.Log != row.want {
			t.Errorf("%s: %+v, %+v, %+v, want %+v; %v, %v", name, builds[0].Error, app.Failure.Log, apps[0].Failure.Log, row.want, err, err2)
		}
	}
}

// The variables are read only if there is a log.
func TestVariablesThatNoLogNeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := newTestClient(t, gateway(http.StatusBadGateway))
		builds := []Build{{ID: "b-2"}, {ID: "b-1"}}
		c.ShowLogs(t.Context(), "i", "a", builds)
		if n := len(transport.Requests()); n != 0 || builds[0].Error.Withheld != nil {
			t.Errorf("%d requests, %+v", n, builds)
		}
		builds[1].Error.raw = "a log"
		c.ShowLogs(t.Context(), "i", "a", builds)
		if log := builds[1].Error; !errors.Is(log.Withheld, ErrForeign) || log.Text != "" {
			t.Errorf("build log: got %+v, want an empty text withheld with ErrForeign", log)
		}
	})
}

func TestHideVariables(t *testing.T) {
	const key = "-----BEGIN KEY-----\nMIIEow\n}\n-----END KEY-----\n"
	for name, row := range map[string]struct {
		value, log, want string
	}{
		"none":                       {"", "a log", "a log"},
		"as it is":                   {"tok-123", "export T=tok-123", "export T=(secret)"},
		"with a line's end":          {"tok-123\n", "export T=tok-123", "export T=(secret)"},
		"short, with a line's end":   {"abc\n", "T=abc, abcd", "T=(secret), abcd"},
		"short":                      {"1", "exit status 1 at line 11", "exit status (secret) at line 11"},
		"blank":                      {" ", "a log", "a log"},
		"of several lines":           {key, "key: " + key, "key: (secret)"},
		"of several lines, indented": {key, "#1 -----BEGIN KEY-----\n#1 MIIEow\n#1 }\n#1 -----END KEY-----", "#1 (secret)\n#1 (secret)\n#1 }\n#1 (secret)"},
		"cut off":                    {"tok-123456", "-123456 is no token", "(secret) is no token"},
		"cut off, too short to tell": {"tok-123", "123 steps", "123 steps"},
		"quoted":                     {"tok\"123", `{"T": "tok\"123"}`, `{"T": "(secret)"}`},
		"a URL's password":           {"postgresql://shop:pw-4711@db.example/main", "shop with pw-4711 failed", "shop with (secret) failed"},
		"a URL's password, encoded":  {"redis://:p%2Fw%3A4@db.example\n", "p/w:4 or p%2Fw%3A4", "(secret) or (secret)"},
		"a URL's password, in lines": {"A=1\nredis://u:pw-4711@db.example", "AUTH pw-4711", "AUTH (secret)"},
		"a URL without a password":   {"https://shop.example/main", "shop at shop.example", "shop at shop.example"},
	} {
		if got := new(secrets).hideVariables(row.log, map[string]string{"T": row.value}); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
