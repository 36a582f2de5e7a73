package app

import "testing"

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
		"a value that is kept":                {known, env{"A": "1", "S": "x"}, env{"A": hiddenVariable}, true},
		"others, as some may be secret":       {secretKeys{names: []string{"S"}}, env{"A": "1", "B": "2", "S": "x"}, env{"A": "1"}, true},
		"others, without one that was secret": {secretKeys{names: []string{"S"}}, env{"A": "1", "B": "2"}, env{"A": "1"}, false},
	} {
		if got := row.keys.shows(row.record, row.plan); got != row.want {
			t.Errorf("%s: got %t, want %t", name, got, row.want)
		}
	}
}
