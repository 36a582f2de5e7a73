package app

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// secretKeys are the names of the build variables that come from secret_env_wo and must
// not reach the state.
type secretKeys struct {
	// names are all of them if known, and otherwise those that the provider has sent.
	names []string
	known bool // false after an import, until a plan sets env
}

// secretKeysOf returns the keys of secret variables that the provider itself has sent.
func secretKeysOf(secret map[string]string) secretKeys {
	return secretKeys{names: attributes.SortedKeys(secret), known: true}
}

// loadSecretKeys reads the keys from a resource's private state.
func loadSecretKeys(ctx context.Context, private privatestate.Reader, diags *diag.Diagnostics) secretKeys {
	names, known := privatestate.Load[[]string](ctx, private, privatestate.SecretKeysKey, diags)
	if !known {
		names, _ = privatestate.Load[[]string](ctx, private, privatestate.SentKeysKey, diags)
	}
	return secretKeys{names: names, known: known}
}

// save stores the keys in private state.
func (k secretKeys) save(ctx context.Context, private privatestate.Writer, diags *diag.Diagnostics) {
	key := privatestate.SentKeysKey
	if k.known {
		key = privatestate.SecretKeysKey
	}
	privatestate.Save(ctx, private, key, attributes.Sorted(k.names), diags)
}

// areIn reports whether a record has all secret variables. It has one less if a person has
// removed it.
func (k secretKeys) areIn(record map[string]string) bool {
	return !slices.ContainsFunc(k.names, func(name string) bool { _, ok := record[name]; return !ok })
}

// without returns env without the secret variables.
func (k secretKeys) without(env map[string]string) map[string]string {
	return withoutKeys(env, k.names)
}

// hiddenVariable is the value, in the state, of a variable whose value Terraform has not
// set.
const hiddenVariable = "(value not shown)"

// inState returns the variables of a record for a state that had prior. Secret ones are
// left out. A value that prior does not have is hidden, because it may be secret: a person
// has set it, or an apply that was killed before it could save what it had sent.
func (k secretKeys) inState(record map[string]string, prior types.Map) map[string]string {
	shown := k.without(record)
	had := prior.Elements()
	for name, value := range shown {
		if before, ok := had[name]; !ok || !before.Equal(types.StringValue(value)) {
			shown[name] = hiddenVariable
		}
	}
	return shown
}

// shows reports whether a record shows the planned env, as far as it is known which of its
// variables are secret, and the names of the secret ones.
func (k secretKeys) shows(record, env map[string]string) bool {
	if !k.areIn(record) {
		return false
	}
	record = k.without(record)
	env, _ = withValues(env, record)
	return !k.known || maps.Equal(record, env)
}

// withValues returns env with the record's value in place of each hiddenVariable, which
// ignore_changes copies from the state into the plan, and whether there was any.
func withValues(env, record map[string]string) (values map[string]string, hidden bool) {
	values = maps.Clone(env)
	for name, value := range env {
		if value != hiddenVariable {
			continue
		}
		hidden = true
		if kept, ok := record[name]; ok {
			values[name] = kept
		} else {
			delete(values, name)
		}
	}
	return values, hidden
}

// envToSend returns the complete set of build variables to send, or nil if the service
// keeps its variables. env and secret are the planned variables. The parameter there has
// the variables of the record.
//
// Variables are sent only if the plan changes them and the record does not show them
// already, because equal variables build nothing. If the record does not show the secret
// values, a change of their version counts. After an import it is unknown which variables
// are secret, so the record's values decide nothing. As long as the plan does not set
// env, the existing variables are then kept. A planned hiddenVariable keeps the value at
// the service. If the record does not show the variables to keep, nothing can be sent and
// the error is an UnknownEnvError.
func envToSend(state, plan appModel, there client.Maybe[map[string]string], env, secret map[string]string, keys secretKeys) (map[string]string, error) {
	newSecret := !state.SecretEnvWOVersion.Equal(plan.SecretEnvWOVersion)
	env, hidden := withValues(env, there.Value)
	all := merged(env, secret)
	if !keys.known && plan.Env.IsNull() {
		all = merged(keys.without(there.Value), secret)
	}
	switch {
	case !envChanges(state, plan):
		return nil, nil
	case !there.Set && (hidden || !keys.known && plan.Env.IsNull()):
		return nil, UnknownEnvError{}
	case there.Set && maps.Equal(all, there.Value):
		return nil, nil
	case keys.known && !newSecret && there.Set && secretKeysOf(secret).areIn(there.Value) && maps.Equal(env, keys.without(there.Value)):
		return nil, nil
	}
	return all, nil
}

// An UnknownEnvError means that the plan changes some variables of an app and keeps others
// that neither the state nor the service shows, for example after an import.
type UnknownEnvError struct{}

func (UnknownEnvError) Error() string {
	return "the service replaces an app's variables as a whole and does not report the current ones, " +
		"so this change would remove variables that Terraform does not know"
}

// NextStep says what to do about it.
func (UnknownEnvError) NextStep() string {
	return "Set env to the complete set of the app's other variables, then apply again."
}

// envChanges reports whether the plan changes the build variables.
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

// merged returns env with the secret entries added.
func merged(env, secret map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, env)
	maps.Copy(all, secret)
	return all
}
