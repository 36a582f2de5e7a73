package postgres

import (
	"regexp"
	"slices"
	"strings"
)

// sqlToken matches strings in SQL. It also matches comments and quoted names, because a
// quote in them does not begin a string. A string is quoted with its quotes doubled, or
// E-quoted with escapes, or between two dollar quotes. Go's regular expressions have no
// back references, so any dollar quote ends a dollar-quoted string.
var sqlToken = regexp.MustCompile(`--[^\n]*|/\*(?s:.*?)\*/|"[^"]*"` +
	`|\b[eE]'((?:[^'\\]|\\(?s:.)|'')*)'|'((?:[^']|'')*)'|\$\w*\$((?s:.+?))\$\w*\$`)

var (
	doubledQuotes = strings.NewReplacer("''", "'")
	sqlEscapes    = strings.NewReplacer("''", "'", `\'`, "'", `\\`, `\`)
)

// literalsOf returns the strings in SQL, as written and as Postgres understands them.
// This includes the strings within a dollar-quoted body. Postgres quotes them when it
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
