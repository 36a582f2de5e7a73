package attributes

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A nameRule describes the names that the service accepts for one kind of object. It is a
// settled fact and the real service may differ, so the provider only warns.
type nameRule struct {
	longest int
	other   rune // allowed besides lower case letters and digits, 0 if anything is
	words   string
}

var (
	// InstanceNameRule is the rule for names of instances.
	InstanceNameRule = nameRule{100, 0, "1 to 100 characters"}
	// AppNameRule is the rule for names of apps.
	AppNameRule = nameRule{40, '-', "1 to 40 lower case letters, digits and hyphens, the first of them a letter"}
	// DatabaseNameRule is the rule for names of databases.
	DatabaseNameRule = nameRule{63, '_', "1 to 63 lower case letters, digits and underscores, the first of them a letter"}
)

// problem describes why a name breaks the rule. It returns "" if the name follows it.
func (r nameRule) problem(name string) string {
	if name == "" {
		return "is empty"
	}
	if n := utf8.RuneCountInString(name); n > r.longest {
		return fmt.Sprintf("has %d characters", n)
	}
	if r.other == 0 {
		return ""
	}
	isLetter := func(c rune) bool { return 'a' <= c && c <= 'z' }
	if first, _ := utf8.DecodeRuneInString(name); !isLetter(first) {
		return fmt.Sprintf("begins with %q", string(first))
	}
	bad := strings.IndexFunc(name, func(c rune) bool { return !isLetter(c) && (c < '0' || c > '9') && c != r.other })
	if bad < 0 {
		return ""
	}
	c, _ := utf8.DecodeRuneInString(name[bad:])
	return fmt.Sprintf("holds %q", string(c))
}

// WarnOfName warns of a name that the service probably refuses.
func WarnOfName(diags *diag.Diagnostics, what string, name types.String, rule nameRule) {
	if name.IsNull() || name.IsUnknown() {
		return
	}
	if problem := rule.problem(name.ValueString()); problem != "" {
		diags.AddAttributeWarning(path.Root("name"), "The service may refuse the name of the "+what,
			fmt.Sprintf("The name must be %s, but %q %s.", rule.words, name.ValueString(), problem))
	}
}
