package acceptance

import (
	"fmt"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// These tests check that the state has no value of a variable that Terraform has not set,
// and what becomes of such a variable.

// oneEnv returns the app on the seeded instance, with variables and additional arguments.
func oneEnv(env, arguments string) string {
	return oneApp("env = { " + env + " }\n" + arguments)
}

// secretEnv returns the arguments for secret variables.
func secretEnv(secret string, version int) string {
	return fmt.Sprintf("secret_env_wo = { %s }\nsecret_env_wo_version = %d\n", secret, version)
}

// setVariable is what a person does in the portal.
func setVariable(fake *fakeservicetest.Server, name, value string) {
	fake.EditApp("i-one", "guestbook", func(a *fakeservice.App) { a.Env[name] = value })
}
