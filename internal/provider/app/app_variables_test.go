package app

import (
	"errors"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// A record that lacks a secret variable is older than the change that set it.
func TestVariablesThatARecordShows(t *testing.T) {
	type env = map[string]string
	known := secretKeys{names: []string{"S"}, known: true}
	for name, row := range map[string]struct {
		keys         secretKeys
		record, plan env
		want         bool
	}{
		"the plan and the secret":             {known, env{"A": "1", "S": "x"}, env{"A": "1"}, true},
		"the plan without the secret":         {known, env{"A": "1"}, env{"A": "1"}, false},
		"the secret and another value":        {known, env{"A": "2", "S": "x"}, env{"A": "1"}, false},
		"one that somebody has added":         {known, env{"A": "1", "B": "2", "S": "x"}, env{"A": "1"}, false},
		"another form of the value":           {known, env{"A": "1\n2", "S": "x"}, env{"A": " 1\r\n2\n"}, true},
		"a value that is kept":                {known, env{"A": "1", "S": "x"}, env{"A": hiddenVariable}, true},
		"others, as some may be secret":       {secretKeys{names: []string{"S"}}, env{"A": "1", "B": "2", "S": "x"}, env{"A": "1"}, true},
		"others, without one that was secret": {secretKeys{names: []string{"S"}}, env{"A": "1", "B": "2"}, env{"A": "1"}, false},
	} {
		if got := row.keys.shows(row.record, row.plan); got != row.want {
			t.Errorf("%s: got %t, want %t", name, got, row.want)
		}
	}
}

func TestLineEndingsAreNoChange(t *testing.T) {
	type env = map[string]string
	unknown, null := types.MapUnknown(types.StringType), types.MapNull(types.StringType)
	for name, row := range map[string]struct {
		state, plan types.Map
		keeps       bool
	}{
		"others":                       {stringsMap(env{"A": "1\n2\n"}), stringsMap(env{"A": "1\r\n2\r\n"}), true},
		"one less":                     {stringsMap(env{"A": "1\n2\n"}), stringsMap(env{"A": "1\r\n2"}), false},
		"a space less":                 {stringsMap(env{"A": " 1"}), stringsMap(env{"A": "1"}), false},
		"others, and another variable": {stringsMap(env{"A": "1\n"}), stringsMap(env{"A": "1\r\n", "B": "2"}), false},
		"unknown":                      {stringsMap(env{"A": "1"}), unknown, false},
		"none":                         {null, types.MapValueMust(types.StringType, nil), false},
		"new":                          {null, stringsMap(env{"A": "1"}), false},
	} {
		resp := planmodifier.MapResponse{PlanValue: row.plan}
		lineEndings{}.PlanModifyMap(t.Context(), planmodifier.MapRequest{StateValue: row.state, PlanValue: row.plan}, &resp)
		if want := map[bool]types.Map{true: row.state, false: row.plan}[row.keeps]; !resp.PlanValue.Equal(want) {
			t.Errorf("%s: got %s planned, want %s", name, resp.PlanValue, want)
		}
	}
}

func TestEnvToSend(t *testing.T) {
	type env = map[string]string
	told := client.Some[env]
	for name, row := range map[string]struct {
		state, plan env // nil means null
		version     int64
		there       client.Maybe[env]
		secret      env
		secretKeys  []string
		keysKnown   bool
		want        env // nil if nothing is sent
		err         error
	}{
		"unchanged":                  {state: env{"A": "1"}, plan: env{"A": "1"}, there: told(env{"A": "1"}), keysKnown: true},
		"unchanged beside a secret":  {state: env{"A": "1"}, plan: env{"A": "1"}, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "y"}, secretKeys: []string{"S"}, keysKnown: true},
		"changed":                    {state: env{"A": "1"}, plan: env{"A": "2"}, there: told(env{"A": "1"}), keysKnown: true, want: env{"A": "2"}},
		"changed beside a secret":    {state: env{"A": "1"}, plan: env{"A": "2"}, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "x"}, secretKeys: []string{"S"}, keysKnown: true, want: env{"A": "2", "S": "x"}},
		"changed, and there already": {state: env{"A": "1"}, plan: env{"A": "2"}, there: told(env{"A": "2"}), keysKnown: true},
		"changed, and there already beside another secret": {state: env{"A": "1"}, plan: env{"A": "2"}, there: told(env{"A": "2", "S": "x"}), secret: env{"S": "y"}, secretKeys: []string{"S"}, keysKnown: true},
		"changed, and there already without the secret":    {state: env{"A": "1"}, plan: env{"A": "2"}, there: told(env{"A": "2"}), secret: env{"S": "y"}, secretKeys: []string{"S"}, keysKnown: true, want: env{"A": "2", "S": "y"}},
		"another form of it there":                         {state: env{"A": "1"}, plan: env{"A": "2\r\n3\n"}, there: told(env{"A": "2\n3"}), keysKnown: true},
		"another form of a new one":                        {plan: env{"A": "2\n"}, there: told(env{"A": "2"}), keysKnown: true, want: env{"A": "2\n"}},
		"a change of the form":                             {state: env{"A": " 1"}, plan: env{"A": "1"}, there: told(env{"A": " 1"}), keysKnown: true, want: env{"A": "1"}},
		"a change of the form, and there":                  {state: env{"A": " 1"}, plan: env{"A": "1"}, there: told(env{"A": "1"}), keysKnown: true},
		"taken out":                                        {state: env{"A": "1"}, there: told(env{"A": "1"}), keysKnown: true, want: env{}},
		"another version":                                  {state: env{"A": "1"}, plan: env{"A": "1"}, version: 1, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "y"}, secretKeys: []string{"S"}, keysKnown: true, want: env{"A": "1", "S": "y"}},
		"another version of the same value":                {state: env{"A": "1"}, plan: env{"A": "1"}, version: 1, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "x"}, secretKeys: []string{"S"}, keysKnown: true},
		"changed by somebody else alone":                   {state: env{"A": "1"}, plan: env{"A": "1"}, there: told(env{"A": "3"}), keysKnown: true},
		"not told, unchanged":                              {state: env{"A": "1"}, plan: env{"A": "1"}, keysKnown: true},
		"not told, changed":                                {state: env{"A": "1"}, plan: env{"A": "2"}, keysKnown: true, want: env{"A": "2"}},
		"kept by ignore_changes":                           {state: env{"A": "one", "B": hiddenVariable}, plan: env{"A": "one", "B": hiddenVariable}, version: 1, there: told(env{"A": "one", "B": "2"}), secret: env{"S": "y"}, keysKnown: true, want: env{"A": "one", "B": "2", "S": "y"}},
		"kept, and the changed one there":                  {state: env{"A": "one", "B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"A": "one", "B": "2"}), keysKnown: true, want: env{"A": "2", "B": "2"}},
		"kept, and perhaps cut":                            {state: env{"A": "info", "B": hiddenVariable}, plan: env{"A": "debug", "B": hiddenVariable}, there: told(env{"A": "info", "B": "the-"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and perhaps trimmed":                        {state: env{"A": " one", "B": hiddenVariable}, plan: env{"A": "two", "B": hiddenVariable}, there: told(env{"A": "one", "B": "2"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and masked":                                 {state: env{"A": hiddenVariable, "B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"A": "EV[1]", "B": "EV[2]"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and all empty":                              {state: env{"A": "", "B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"A": "", "B": ""}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and one of two masked":                      {state: env{"A": "1", "B": hiddenVariable, "C": hiddenVariable}, plan: env{"A": "1", "B": "x", "C": hiddenVariable}, there: told(env{"A": "1", "B": "***", "C": "***"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and a stale state":                          {state: env{"A": "1", "B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"A": "***", "B": "***"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and one not shown":                          {state: env{"A": "1", "B": "2", "C": hiddenVariable}, plan: env{"A": "2", "B": "2", "C": hiddenVariable}, there: told(env{"B": "2", "C": "3"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and the secret masked":                      {state: env{"A": "1", "B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"A": "1", "B": "***", "S": "***"}), secret: env{"S": "y"}, secretKeys: []string{"S"}, keysKnown: true, err: UnknownEnvError{}},
		"kept, and proved by a secret":                     {state: env{"B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"B": "2", "S": "yes"}), secret: env{"S": "yes"}, secretKeys: []string{"S"}, keysKnown: true, want: env{"A": "2", "B": "2", "S": "yes"}},
		"kept, and nothing to compare":                     {state: env{"B": hiddenVariable}, plan: env{"A": "2", "B": hiddenVariable}, there: told(env{"B": "2"}), keysKnown: true, err: UnknownEnvError{}},
		"kept, and only a new secret":                      {state: env{"B": hiddenVariable}, plan: env{"B": hiddenVariable}, version: 1, there: told(env{"B": "2", "S": "x"}), secret: env{"S": "y"}, secretKeys: []string{"S"}, keysKnown: true, err: UnknownEnvError{}},
		"kept, and one that was sent is new":               {state: env{"A": "one", "B": hiddenVariable}, plan: env{"A": "one", "B": hiddenVariable, "C": "3"}, there: told(env{"A": "one", "B": "2", "C": "x"}), keysKnown: true, want: env{"A": "one", "B": "2", "C": "3"}},
		"kept by ignore_changes, gone":                     {state: env{"B": hiddenVariable}, plan: env{"B": hiddenVariable}, version: 1, there: told(env{"A": "1"}), secret: env{"S": "y"}, keysKnown: true, want: env{"S": "y"}},
		"kept by ignore_changes, not told":                 {state: env{"B": hiddenVariable}, plan: env{"B": hiddenVariable}, version: 1, secret: env{"S": "y"}, keysKnown: true, err: UnknownEnvError{}},
		"a hidden one removed":                             {state: env{"A": hiddenVariable, "B": hiddenVariable}, plan: env{"A": "1"}, there: told(env{"A": "***", "B": "***"}), keysKnown: true, want: env{"A": "1"}},
		"imported, none planned":                           {there: told(env{"A": "1"})},
		"imported, not told, none planned":                 {},
		"imported, the same planned":                       {plan: env{"A": "1"}, there: told(env{"A": "1"})},
		"imported, others planned":                         {plan: env{"A": "2"}, there: told(env{"A": "1", "B": "1"}), want: env{"A": "2"}},
		"imported, an empty one planned":                   {plan: env{}, there: told(env{"A": "1"}), want: env{}},
		"imported, secrets planned":                        {version: 1, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "y"}, err: UnknownEnvError{}},
		"imported, secrets and none else":                  {version: 1, there: told(env{"S": "x"}), secret: env{"S": "y"}, want: env{"S": "y"}},
		"imported, secrets, one there":                     {version: 1, there: told(env{"A": "1", "S": "long"}), secret: env{"S": "long", "T": "y"}, want: env{"A": "1", "S": "long", "T": "y"}},
		"imported, secrets masked":                         {version: 2, there: told(env{"A": "***", "S": "***"}), secret: env{"S": "x", "T": "y"}, secretKeys: []string{"S"}, err: UnknownEnvError{}},
		"imported, secrets there":                          {version: 1, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "x"}},
		"imported, not told, secrets planned":              {version: 1, secret: env{"S": "y"}, err: UnknownEnvError{}},
		"imported, not told, both planned":                 {plan: env{"A": "1"}, version: 1, secret: env{"S": "y"}, want: env{"A": "1", "S": "y"}},
		"imported, env and secrets there":                  {plan: env{"A": "1"}, version: 1, there: told(env{"A": "1", "S": "x"}), secret: env{"S": "x"}},
		"imported long ago, unchanged since":               {state: env{"A": "1"}, plan: env{"A": "1"}, there: told(env{"A": "3"})},
	} {
		t.Run(name, func(t *testing.T) {
			model := func(values env, version int64) appModel {
				m := appModel{Env: types.MapNull(types.StringType), SecretEnvWOVersion: types.Int64Null()}
				if values != nil {
					m.Env, _ = types.MapValueFrom(t.Context(), types.StringType, values)
				}
				if version > 0 {
					m.SecretEnvWOVersion = types.Int64Value(version)
				}
				return m
			}
			got, err := envToSend(model(row.state, 0), model(row.plan, row.version), row.there, row.plan, row.secret, secretKeys{names: row.secretKeys, known: row.keysKnown})
			if !maps.Equal(got, row.want) || (got == nil) != (row.want == nil) || !errors.Is(err, row.err) {
				t.Errorf("got %v, %v, want %v", got, err, row.want)
			}
		})
	}
}
