package app

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// publicPrefix is the prefix of variables that are built into files for browsers
// (SERVICE.md#app-contract).
const publicPrefix = "NEXT_PUBLIC_"

// warnOfPublicSecrets names the variables of secret_env_wo that are sent to browsers.
func warnOfPublicSecrets(ctx context.Context, config tfsdk.Config, app string, diags *diag.Diagnostics) {
	var secret types.Map
	diags.Append(config.GetAttribute(ctx, path.Root("secret_env_wo"), &secret)...)
	public := slices.DeleteFunc(attributes.SortedKeys(secret.Elements()), func(key string) bool { return !strings.HasPrefix(key, publicPrefix) })
	if len(public) == 0 {
		return
	}
	diags.AddAttributeWarning(path.Root("secret_env_wo"), "Secret variables will be public", publicSecretsText(public, app))
}

func publicSecretsText(names []string, app string) string {
	built := "is built into what browsers download; it is not secret."
	if len(names) > 1 {
		built = "are built into what browsers download; they are not secret."
	}
	return strings.Join(names, ", ") + " of app " + app + " " + built + " Move public values to env. Name secrets without the prefix " + publicPrefix + "."
}

// shellName matches the names of variables that a shell can have.
var shellName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// isOfService reports whether the service itself sets a variable of this name
// (SERVICE.md#app-contract).
func isOfService(name string) bool { return name == "PORT" || name == "DATABASE_URL" }

// warnOfNames warns about names of variables that the service may refuse.
func warnOfNames(ctx context.Context, config tfsdk.Config, app string, diags *diag.Diagnostics) {
	for _, argument := range []string{"env", "secret_env_wo"} {
		var variables types.Map
		diags.Append(config.GetAttribute(ctx, path.Root(argument), &variables)...)
		named := func(isMeant func(string) bool) string {
			names := attributes.SortedKeys(variables.Elements())
			return strings.Join(slices.DeleteFunc(names, func(name string) bool { return !isMeant(name) }), ", ")
		}
		if names := named(isOfService); names != "" {
			diags.AddAttributeWarning(path.Root(argument), "The service sets these variables itself",
				fmt.Sprintf("%s has %s of app %s. The service sets PORT, and on an instance with the postgres engine DATABASE_URL. "+
					"It may refuse or replace yours. To set PORT, use the argument port. For another database, choose another name.", argument, names, app))
		}
		if names := named(func(name string) bool { return !shellName.MatchString(name) }); names != "" {
			diags.AddAttributeWarning(path.Root(argument), "Unusual names of variables",
				fmt.Sprintf("%s has %s of app %s. Usually names consist of letters, digits and underscores, and do not begin with a digit. "+
					"The service may refuse others, and no shell can read them.", argument, names, app))
		}
	}
}
