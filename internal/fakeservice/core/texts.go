package core

import (
	"slices"
	"strings"
	"unicode"
)

// checkPrintable refuses a text with control characters, which break headers, logs and
// terminals.
func checkPrintable(field, text string) error {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return invalid(field, "it must not have control characters")
	}
	return nil
}

// checkBranch refuses texts that cannot be a branch of a git repository, such as main~1.
// It applies the rules of git check-ref-format.
func checkBranch(branch string) error {
	parts := strings.Split(branch, "/")
	wrong := branch == "" || branch == "@" || branch == "HEAD" || strings.HasPrefix(branch, "-") || strings.HasSuffix(branch, ".") ||
		strings.ContainsAny(branch, " ~^:?*[\\") || strings.Contains(branch, "..") || strings.Contains(branch, "@{") ||
		slices.ContainsFunc(parts, func(part string) bool {
			return part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock")
		})
	if wrong {
		return invalid("branch", "it must be the name of a branch")
	}
	return checkPrintable("branch", branch)
}
