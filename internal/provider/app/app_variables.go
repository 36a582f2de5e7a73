package app

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
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
const hiddenVariable = base.HiddenVariable

// sameVariable reports whether two values of a variable differ at most in white space at
// their ends and in their line endings. A service may keep a value in another such form.
func sameVariable(a, b string) bool { return plainVariable(a) == plainVariable(b) }

func plainVariable(value string) string { return strings.TrimSpace(unixLines(value)) }

func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// lineEndings plans no change if variables differ only in their line endings: the same file
// has others in another checkout. White space at the ends is a change, because it may be a
// mistake that is corrected.
type lineEndings struct{}

func (lineEndings) Description(context.Context) string {
	return "other line endings do not count as a change"
}

func (m lineEndings) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (lineEndings) PlanModifyMap(_ context.Context, req planmodifier.MapRequest, resp *planmodifier.MapResponse) {
	planned, prior := knownStrings(req.PlanValue), knownStrings(req.StateValue)
	if isKnown(req.PlanValue) && len(planned) > 0 && maps.EqualFunc(planned, prior, func(a, b string) bool { return unixLines(a) == unixLines(b) }) {
		resp.PlanValue = req.StateValue
	}
}

// inState returns the variables of a record for a state that had prior. Secret ones are
// left out. A value in another form stays as prior has it. A value that prior does not have
// is hidden, because it may be secret: a person has set it, or an apply that was killed before
// it could save what it had sent.
func (k secretKeys) inState(record map[string]string, prior types.Map) map[string]string {
	shown := k.without(record)
	had := knownStrings(prior)
	for name, value := range shown {
		if before, ok := had[name]; ok && sameVariable(before, value) {
			shown[name] = before
		} else {
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
	env = withValues(env, record)
	return !k.known || maps.EqualFunc(record, env, sameVariable)
}

// areVariables reports whether a record shows all planned variables and no others. A
// planned value in another form counts, unless it is the prior value: then the plan changes
// the form, and the service may keep it.
func areVariables(record, planned, prior map[string]string) bool {
	if len(record) != len(planned) {
		return false
	}
	for name, value := range planned {
		shown, ok := record[name]
		before, had := prior[name]
		if !ok || shown != value && (!had || before == shown || !sameVariable(shown, value)) {
			return false
		}
	}
	return true
}

// withValues returns env with the record's value in place of each hiddenVariable, which
// ignore_changes copies from the state into the plan.
func withValues(env, record map[string]string) map[string]string {
	values := maps.Clone(env)
	for name, value := range env {
		if value != hiddenVariable {
			continue
		}
		if kept, ok := record[name]; ok {
			values[name] = kept
		} else {
			delete(values, name)
		}
	}
	return values
}

// keepsOthers reports whether a plan keeps variables of the app whose values Terraform does
// not have: those that ignore_changes copies from the state, and all of an imported app
// until the configuration sets env.
func (k secretKeys) keepsOthers(plan appModel) bool {
	return !k.known && plan.Env.IsNull() || slices.Contains(slices.Collect(maps.Values(knownStrings(plan.Env))), hiddenVariable)
}

// envToSend returns the complete set of build variables to send, or nil if the service
// keeps its variables. env and secret are the planned variables. The parameter there has
// the variables of the record.
//
// Variables are sent only if the plan changes them and the record does not show them
// already, because equal variables build nothing. If the record does not show the secret
// values, a change of their version counts. After an import it is unknown which variables
// are secret, so the record's values decide nothing.
//
// A plan that keepsOthers sends the values that the record shows, and a service may show
// them masked, cut or trimmed. They are sent only if the record showsAsSent; otherwise the
// error is an UnknownEnvError.
func envToSend(state, plan appModel, there client.Maybe[map[string]string], env, secret map[string]string, keys secretKeys) (map[string]string, error) {
	newSecret := !state.SecretEnvWOVersion.Equal(plan.SecretEnvWOVersion)
	keeps := keys.keepsOthers(plan)
	own := maps.Clone(env)
	maps.DeleteFunc(own, func(_, value string) bool { return value == hiddenVariable })
	own = merged(own, secret)
	env, prior := withValues(env, there.Value), knownStrings(state.Env)
	all := merged(env, secret)
	if !keys.known && plan.Env.IsNull() {
		all = merged(keys.without(there.Value), secret)
	}
	switch {
	case !envChanges(state, plan):
		return nil, nil
	case !there.Set && keeps:
		return nil, UnknownEnvError{}
	case there.Set && areVariables(there.Value, all, prior):
		return nil, nil
	case keys.known && !newSecret && there.Set && secretKeysOf(secret).areIn(there.Value) && areVariables(keys.without(there.Value), env, prior):
		return nil, nil
	case len(all) > len(own) && !showsAsSent(there.Value, own, variablesSent(state, own, keys, newSecret), withoutKeys(all, attributes.SortedKeys(own))):
		return nil, UnknownEnvError{}
	}
	return all, nil
}

// variablesSent returns the variables that Terraform has sent, as far as it knows. A value
// that the state does not have is taken from the planned ones in own. The value of a secret
// is known only while its version is the same.
func variablesSent(state appModel, own map[string]string, keys secretKeys, newSecret bool) map[string]string {
	sent := knownStrings(state.Env)
	names := keys.names
	if newSecret {
		names = nil
	}
	for name, value := range own {
		if sent[name] == hiddenVariable || slices.Contains(names, name) {
			sent[name] = value
		}
	}
	maps.DeleteFunc(sent, func(_, value string) bool { return value == hiddenVariable })
	return sent
}

// showsAsSent reports whether there is proof that a record shows the others, those of its
// variables that are not planned, in plain text. It must show every sent variable as it was
// sent or as it is planned, and one of Terraform's own that is longer than all others: a
// short value is shown as it was sent even if the service cuts longer ones.
func showsAsSent(record, planned, sent, others map[string]string) bool {
	proved := 0
	for name, value := range merged(planned, sent) {
		shown, ok := record[name]
		same := ok && (shown == value || shown == planned[name])
		if _, mustBeShown := sent[name]; mustBeShown && !same {
			return false
		}
		if same {
			proved = max(proved, len(shown))
		}
	}
	for _, other := range others {
		if len(other) >= proved {
			return false
		}
	}
	return true
}

// An UnknownEnvError means that the plan changes some variables of an app and keeps others
// whose values are not known: the state does not have them, and the service does not show
// them, or nothing shows that it does so in plain text.
type UnknownEnvError struct{}

func (UnknownEnvError) Error() string {
	return "the service replaces an app's variables as a whole, and nothing proves that it shows the current ones in plain text, " +
		"so this change could remove or overwrite variables that Terraform does not know"
}

// NextStep says what to do about it.
func (UnknownEnvError) NextStep() string {
	return "Set env to the complete set of the app's other variables, without ignore_changes, then apply again."
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
