package attributes

import (
	"strings"
	"testing"
)

func TestNameProblem(t *testing.T) {
	for _, c := range []struct {
		rule       nameRule
		name, want string
	}{
		{AppNameRule, "guestbook", ""},
		{AppNameRule, "a", ""},
		{AppNameRule, "a-1", ""},
		{AppNameRule, strings.Repeat("a", 40), ""},
		{AppNameRule, strings.Repeat("a", 41), "has 41 characters"},
		{AppNameRule, "", "is empty"},
		{AppNameRule, "1a", `begins with "1"`},
		{AppNameRule, "-a", `begins with "-"`},
		{AppNameRule, "a_b", `holds "_"`},
		{AppNameRule, "aB", `holds "B"`},
		{AppNameRule, "aé", `holds "é"`},
		{DatabaseNameRule, "orders_2", ""},
		{DatabaseNameRule, "or-ders", `holds "-"`},
		{DatabaseNameRule, "_orders", `begins with "_"`},
		{DatabaseNameRule, strings.Repeat("a", 64), "has 64 characters"},
		{InstanceNameRule, "My shop, 2nd", ""},
		{InstanceNameRule, strings.Repeat("é", 100), ""},
		{InstanceNameRule, strings.Repeat("é", 101), "has 101 characters"},
	} {
		if got := c.rule.problem(c.name); got != c.want {
			t.Errorf("the problem of %q: got %q, want %q", c.name, got, c.want)
		}
	}
}
