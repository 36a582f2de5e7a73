package provider

import (
	"regexp"
	"slices"
	"strings"
)

// sqlToken finds strings in SQL, and what can hold a quote without being one: comments
// and quoted names. A string is quoted with its quotes doubled, or E-quoted with
// escapes, or between two dollar quotes. Go's expressions know no back references, so
// the second dollar quote is any.
var sqlToken = regexp.MustCompile(`--[^\n]*|/\*(?s:.*?)\*/|"[^"]*"` +
	`|\b[eE]'((?:[^'\\]|\\(?s:.)|'')*)'|'((?:[^']|'')*)'|\$\w*\$((?s:.+?))\$\w*\$`)

var (
	doubledQuotes = strings.NewReplacer("''", "'")
	sqlEscapes    = strings.NewReplacer("''", "'", `\'`, "'", `\\`, `\`)
)

// literalsOf are the strings in SQL, as they are written and as Postgres understands
// them, those within a dollar-quoted body included. Postgres quotes them when it
// refuses a statement.
func literalsOf(sql string) []string {
	var literals []string
	for _, match := range sqlToken.FindAllStringSubmatch(sql, -1) {
		escaped, quoted, body := match[1], match[2], match[3]
		literals = append(literals, escaped, sqlEscapes.Replace(escaped), quoted, doubledQuotes.Replace(quoted), body)
		literals = append(literals, literalsOf(body)...)
	}
	slices.Sort(literals)
	return slices.DeleteFunc(slices.Compact(literals), func(text string) bool { return text == "" })
}
