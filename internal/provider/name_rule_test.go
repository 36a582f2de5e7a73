package provider

import (
	"strings"
	"testing"
)

func TestNameProblem(t *testing.T) {
	for _, c := range []struct {
		rule       nameRule
		name, want string
	}{
		{appNameRule, "guestbook", ""},
		{appNameRule, "a", ""},
		{appNameRule, "a-1", ""},
		{appNameRule, strings.Repeat("a", 40), ""},
		{appNameRule, strings.Repeat("a", 41), "has 41 characters"},
		{appNameRule, "", "is empty"},
		{appNameRule, "1a", `begins with "1"`},
		{appNameRule, "-a", `begins with "-"`},
		{appNameRule, "a_b", `holds "_"`},
		{appNameRule, "aB", `holds "B"`},
		{appNameRule, "aé", `holds "é"`},
		{databaseNameRule, "orders_2", ""},
		{databaseNameRule, "or-ders", `holds "-"`},
		{databaseNameRule, "_orders", `begins with "_"`},
		{databaseNameRule, strings.Repeat("a", 64), "has 64 characters"},
		{instanceNameRule, "My shop, 2nd", ""},
		{instanceNameRule, strings.Repeat("é", 100), ""},
		{instanceNameRule, strings.Repeat("é", 101), "has 101 characters"},
	} {
		if got := c.rule.problem(c.name); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}
