package app

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
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
