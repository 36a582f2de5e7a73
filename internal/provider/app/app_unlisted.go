package app

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/lists"
)

// Lists, imports and generated configuration omit an app's variables, because any of them
// may be secret. Warnings name the omitted variables.

// mostNamed is the maximum number of apps that a warning names.
const mostNamed = 20

// warnOfListedVariables names the apps that have variables.
func warnOfListedVariables(apps []lists.Child[client.App], diags *diag.Diagnostics) {
	var lines []string
	for _, app := range apps {
		if names := variablesOf(app.Record); names != "" {
			lines = append(lines, fmt.Sprintf("%s on %s: %s", app.Record.Name, app.InstanceID, names))
		}
	}
	if len(lines) == 0 {
		return
	}
	if more := len(lines) - mostNamed; more > 0 {
		lines = append(lines[:mostNamed], fmt.Sprintf("and %d more apps", more))
	}
	diags.AddWarning("Variables of apps are not listed",
		"Any variable may be secret, so neither the list nor the configuration that is generated of it has them. These apps have variables, and keep all of them when they are imported, "+
			"until their configuration sets env:\n\n"+strings.Join(lines, "\n"))
}

// warnOfImportedVariables names the variables of an imported app.
func warnOfImportedVariables(instanceID string, app client.App, diags *diag.Diagnostics) {
	if names := variablesOf(app); names != "" {
		diags.AddAttributeWarning(path.Root("env"), "Variables of app "+app.Name+" are left alone",
			fmt.Sprintf("The import does not bring the variables of app %s of instance %s into the state, as any may be secret: %s. "+
				"They stay until the configuration sets env; from then on env and secret_env_wo are all that the app has, and the plan names what it removes.",
				app.Name, instanceID, names))
	}
}

// variablesOf returns the names of an app's variables, or "" if it has none.
func variablesOf(app client.App) string {
	if !app.Env.Set {
		return "the service does not tell which"
	}
	return strings.Join(attributes.SortedKeys(app.Env.Value), ", ")
}
