package client

import "testing"

func TestBuildErrorText(t *testing.T) {
	for name, row := range map[string]struct {
		build         Build
		before, after string
		want          string
	}{
		"first":                       {Build{Status: "failed"}, "", AppFailed, "build b of app a failed"},
		"first, its record lags":      {Build{Status: "failed"}, "", AppBuilding, "build b of app a failed"},
		"the former version runs":     {Build{Status: "failed"}, AppRunning, AppRunning, "build b of app a failed. The app still runs the previous version"},
		"it was down before":          {Build{Status: "error"}, AppFailed, AppFailed, "build b of app a failed. The app is still down"},
		"its record is unreadable":    {Build{Status: "failure"}, AppRunning, "", "build b of app a failed"},
		"cancelled":                   {Build{Status: "canceled"}, AppRunning, AppRunning, "build b of app a was cancelled. The app still runs the previous version"},
		"with a log":                  {Build{Status: "failed", Error: Log{Text: "\nline 1\n  line 2\n\n"}}, "", "", "build b of app a failed. The end of the build's log:\n\n  line 1\n    line 2"},
		"with a log that is withheld": {Build{Status: "failed", Error: Log{Withheld: errNoVariables}}, "", "", "build b of app a failed. The build's log is not shown, because the app's variables could not be read to hide them in it: the app's record does not hold them"},
	} {
		row.build.ID = "b"
		err := &BuildError{App: "a", Build: row.build, Before: row.before, After: row.after}
		if got := err.Error(); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

func TestAppErrorText(t *testing.T) {
	where := App{Name: "a", AppSettings: AppSettings{Port: Some[int64](3000), HealthPath: Some("/healthz")}}
	for name, row := range map[string]struct {
		app     App
		failure AppFailure
		before  string
		want    string
	}{
		"nothing is told":             {App{Name: "a"}, AppFailure{}, "", "app a does not run: its health path did not answer 200 within a minute"},
		"the port alone":              {App{Name: "a", AppSettings: AppSettings{Port: Some[int64](80)}}, AppFailure{}, "", "app a does not run: its health path on port 80 did not answer 200 within a minute"},
		"where":                       {where, AppFailure{}, "", "app a does not run: /healthz on port 3000 did not answer 200 within a minute"},
		"no answer":                   {where, AppFailure{Status: Some(0)}, "", "app a does not run: /healthz on port 3000 did not answer at all within a minute"},
		"another answer":              {where, AppFailure{Status: Some(404)}, "", "app a does not run: /healthz on port 3000 did not answer 200 within a minute; its last answer was 404 Not Found"},
		"an answer without a name":    {where, AppFailure{Status: Some(599)}, "", "app a does not run: /healthz on port 3000 did not answer 200 within a minute; its last answer was 599"},
		"it ended":                    {where, AppFailure{Exited: Some(true)}, "", "app a does not run: /healthz on port 3000 did not answer 200 within a minute. The process ended by itself"},
		"it goes on":                  {where, AppFailure{Exited: Some(false)}, "", "app a does not run: /healthz on port 3000 did not answer 200 within a minute. The process is still running"},
		"it ran before":               {where, AppFailure{}, AppRunning, "app a does not run: /healthz on port 3000 did not answer 200 within a minute. The app was running before this change and is down now"},
		"it was down before":          {where, AppFailure{}, AppFailed, "app a does not run: /healthz on port 3000 did not answer 200 within a minute. The app was down before this change and still is"},
		"it was being built before":   {where, AppFailure{}, AppBuilding, "app a does not run: /healthz on port 3000 did not answer 200 within a minute. The app is down now"},
		"everything, and the log too": {where, AppFailure{Some(0), Some(true), Log{Text: "panic\r\n"}}, AppRunning, "app a does not run: /healthz on port 3000 did not answer at all within a minute. The process ended by itself. The app was running before this change and is down now. The end of the app's log:\n\n  panic"},
	} {
		row.app.Failure = row.failure
		if got := (&AppError{App: row.app, Before: row.before}).Error(); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}
