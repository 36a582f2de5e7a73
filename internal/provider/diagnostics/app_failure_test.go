package diagnostics

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

func TestFailedDeploymentExplained(t *testing.T) {
	app := func(failure client.AppFailure) client.App {
		return client.App{Name: "web", AppSettings: client.AppSettings{Port: client.Some[int64](3000), HealthPath: client.Some("/up")}, Failure: failure}
	}
	answered := func(status int) error {
		return &client.AppError{App: app(client.AppFailure{Status: client.Some(status)})}
	}
	const unhealthy = "App web does not run: /up on port 3000 did not answer 200 within a minute"
	const again = " Then apply again: that builds and deploys the newest commit of the branch."
	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"the first build failed": {
			&client.BuildError{App: "web", Build: client.Build{ID: "bld-1", Status: "failed", Error: client.Log{Text: "no such file"}}, After: client.AppFailed},
			"Build bld-1 of app web failed. The end of the build's log:\n\n  no such file\n\nFix the cause in the repository or in the app's variables. Then apply again: that builds and deploys the newest commit of the branch.",
		},
		"a later build failed, without a log": {
			&client.BuildError{App: "web", Build: client.Build{ID: "bld-2", Status: "failed"}, Before: client.AppRunning, After: client.AppRunning},
			"Build bld-2 of app web failed. The app still runs the previous version.\n\nThe service returned no build log. " +
				"Check in the portal what failed and fix it. Then apply again: that builds and deploys the newest commit of the branch.",
		},
		"nothing is told": {
			&client.AppError{App: client.App{Name: "web"}},
			"App web does not run: its health path did not answer 200 within a minute.\n\nMake the app listen on the port in the variable PORT, and answer the health path with 200 without calling any dependency. " +
				"The data source hosting_apps_guide has all the rules for apps." + again,
		},
		"it ended, and was to take the place of another": {
			&client.AppError{App: app(client.AppFailure{Status: client.Some(0), Exited: client.Some(true), Log: client.Log{Text: "panic: no table\ngoroutine 1"}}), Before: client.AppRunning},
			"App web does not run: /up on port 3000 did not answer at all within a minute. The process ended by itself. The app was running before this change and is down now. " +
				"The end of the app's log:\n\n  panic: no table\n  goroutine 1\n\nFix what ended the process, in the repository or in the app's variables." + again,
		},
		"it ended without a word": {
			&client.AppError{App: app(client.AppFailure{Exited: client.Some(true)})},
			unhealthy + ". The process ended by itself.\n\nCheck in the portal why the process ended, and fix it in the repository or in the app's variables." + again,
		},
		"it never answered": {
			answered(0), "App web does not run: /up on port 3000 did not answer at all within a minute.\n\n" +
				"Make the app listen on the port in the variable PORT, which is the argument port, on all interfaces and not only on localhost." + again,
		},
		"a redirect":    {answered(302), unhealthy + "; its last answer was 302 Found.\n\nA redirect is not enough: make /up itself answer 200, or set health_path to a path that does." + again},
		"a sign-in":     {answered(401), unhealthy + "; its last answer was 401 Unauthorized.\n\nThe health check sends no credentials: make /up answer 200 without them, or set health_path to a path that does." + again},
		"not there":     {answered(404), unhealthy + "; its last answer was 404 Not Found.\n\nThe app does not have /up: add it, or set health_path to a path that answers 200." + again},
		"its own error": {answered(500), unhealthy + "; its last answer was 500 Internal Server Error.\n\nFix what makes /up fail. It must answer 200 without calling any dependency, such as the database." + again},
		"another answer": {answered(204), unhealthy + "; its last answer was 204 No Content.\n\nMake the app listen on the port in the variable PORT, and answer /up with 200 without calling any dependency. " +
			"The data source hosting_apps_guide has all the rules for apps." + again},
	} {
		if got := Explain(row.err); got != row.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, row.want)
		}
	}
}
