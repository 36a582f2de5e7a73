package provider

import (
	"context"
	"errors"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// secretKeysKey keeps the names of the keys in secret_env_wo in private state.
const secretKeysKey = "secret_env_keys"

// secretKeys are the keys of those build variables that came from secret_env_wo and
// must not reach the state.
type secretKeys struct {
	names []string
	known bool // false after an import, until a plan sets env
}

// secretKeysOf are the keys of secret variables that the provider has sent itself.
func secretKeysOf(secret map[string]string) secretKeys {
	return secretKeys{names: sortedKeys(secret), known: true}
}

// loadSecretKeys reads them from a resource's private state.
func loadSecretKeys(ctx context.Context, private privateReader, diags *diag.Diagnostics) secretKeys {
	names, known := loadPrivate[[]string](ctx, private, secretKeysKey, diags)
	return secretKeys{names: names, known: known}
}

// save keeps them there, once they are known.
func (k secretKeys) save(ctx context.Context, private privateWriter, diags *diag.Diagnostics) {
	if k.known {
		savePrivate(ctx, private, secretKeysKey, sorted(k.names), diags)
	}
}

// without is env without the secret variables.
func (k secretKeys) without(env map[string]string) map[string]string {
	return withoutKeys(env, k.names)
}

// with has the keys of secret variables that are about to be sent as well.
func (k secretKeys) with(secret map[string]string) secretKeys {
	k.names = union(k.names, sortedKeys(secret))
	return k
}

// envToSend is the whole of the build variables to send, nil when the service
// keeps those that it has. env and secret are those of the plan, there is what the
// record tells.
//
// They are sent when the plan changes them, and not when they are there already: the
// service would build nothing. Where the record does not tell secret values, their version tells. While it is not known which variables are secret, after an
// import, the record's say nothing, and as long as the plan sets no env those that
// are there stay. Where the record does not tell those, nothing can be sent:
// errUnknownEnv.
func envToSend(state, plan appModel, there client.Maybe[map[string]string], env, secret map[string]string, keys secretKeys) (map[string]string, error) {
	newSecret := !state.SecretEnvWOVersion.Equal(plan.SecretEnvWOVersion)
	all := merged(env, secret)
	if !keys.known && plan.Env.IsNull() {
		all = merged(there.Value, secret)
	}
	switch {
	case !envChanges(state, plan):
		return nil, nil
	case !keys.known && !there.Set && plan.Env.IsNull():
		return nil, errUnknownEnv
	case there.Set && maps.Equal(all, there.Value):
		return nil, nil
	case keys.known && !newSecret && there.Set && maps.Equal(env, keys.without(there.Value)):
		return nil, nil
	}
	return all, nil
}

// errUnknownEnv is that secret variables are to be sent beside others that nothing
// tells, of an app that was imported.
var errUnknownEnv = errors.New("the service replaces an app's variables as a whole and does not report the current ones, " +
	"so sending secret_env_wo alone would remove the others")

// envChanges tells whether the plan changes the build variables.
func envChanges(state, plan appModel) bool {
	return !state.Env.Equal(plan.Env) || !state.SecretEnvWOVersion.Equal(plan.SecretEnvWOVersion)
}

func withoutKeys(m map[string]string, keys []string) map[string]string {
	rest := maps.Clone(m)
	for _, key := range keys {
		delete(rest, key)
	}
	return rest
}

// merged is env with the secret entries.
func merged(env, secret map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, env)
	maps.Copy(all, secret)
	return all
}
