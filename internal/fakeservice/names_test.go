package fakeservice_test

import (
	"strings"
	"testing"
)

// TestNames asserts the rule for each kind of name: names at the limits are accepted, and
// names beyond them are refused.
func TestNames(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps")
	app := guestbook()
	for _, kind := range []struct {
		path        string
		body        object
		good, wrong []string
	}{
		{
			"/instances", object{"plan": "free", "region": "eu-central", "engines": object{}, "tags": []string{}},
			[]string{"a", "1", "-", "Shop, 2nd", strings.Repeat("é", 100)},
			[]string{"", strings.Repeat("a", 101)},
		},
		{
			"/instances/" + id + "/apps/import", app,
			[]string{"a", "a1", "a--b", "a-", strings.Repeat("a", 40)},
			[]string{"import", "", "1a", "-a", "A", "a_b", "a b", "é", strings.Repeat("a", 41)},
		},
		{
			"/instances/" + id + "/postgres/databases", object{},
			[]string{"a", "a1", "a__b", "a_", strings.Repeat("a", 63)},
			[]string{"postgres", "", "1a", "_a", "A", "a-b", "a b", "é", strings.Repeat("a", 64)},
		},
	} {
		for _, name := range kind.good {
			kind.body["name"] = name
			a.done("POST", kind.path, kind.body)
		}
		for _, name := range kind.wrong {
			kind.body["name"] = name
			if got := a.want(422, "validation_failed", "POST", kind.path, kind.body); !strings.HasPrefix(got.string("detail"), "name: ") {
				t.Errorf("the detail of POST %s with the name %q: got %q, want one that begins with name", kind.path, name, got.string("detail"))
			}
		}
	}
}
