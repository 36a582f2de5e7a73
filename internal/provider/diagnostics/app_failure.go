package diagnostics

import (
	"fmt"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// buildFixText returns advice for a failed build.
func buildFixText(e *client.BuildError) string {
	switch {
	case e.Build.Error.Withheld != nil:
		return "Check in the portal what failed and fix it."
	case e.Build.Error.Text == "":
		return "The service returned no build log. Check in the portal what failed and fix it."
	}
	return "Fix the cause in the repository or in the app's variables."
}

// appFixText returns advice for an app that does not run. It follows from the known facts
// about the failure and the rules for apps (SERVICE.md#app-contract).
func appFixText(app client.App) string {
	status, exited := app.Failure.Status, app.Failure.Exited.Value
	path := app.HealthPath.Value
	if path == "" {
		path = "the health path"
	}
	switch {
	case exited && app.Failure.Log.Text == "":
		return "Check in the portal why the process ended, and fix it in the repository or in the app's variables."
	case exited:
		return "Fix what ended the process, in the repository or in the app's variables."
	case status.Value >= 300 && status.Value < 400:
		return fmt.Sprintf("A redirect is not enough: make %s itself answer 200, or set health_path to a path that does.", path)
	case status.Value == 401 || status.Value == 403:
		return fmt.Sprintf("The health check sends no credentials: make %s answer 200 without them, or set health_path to a path that does.", path)
	case status.Value == 404:
		return fmt.Sprintf("The app does not have %s: add it, or set health_path to a path that answers 200.", path)
	case status.Value >= 500:
		return fmt.Sprintf("Fix what makes %s fail. It must answer 200 without calling any dependency, such as the database.", path)
	case status.Set && status.Value == 0:
		return "Make the app listen on the port in the variable PORT, which is the argument port, on all interfaces and not only on localhost."
	}
	return fmt.Sprintf("Make the app listen on the port in the variable PORT, and answer %s with 200 without calling any dependency. "+
		"The data source hosting_apps_guide has all the rules for apps.", path)
}
