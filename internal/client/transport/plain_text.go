package transport

import (
	"regexp"
	"strings"
	"unicode"
)

// terminalSequence matches a control sequence of a terminal: a colour or a movement of the
// cursor, a text that the terminal keeps to itself, such as its title, and any shorter one.
var terminalSequence = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]" +
	"|(?:\x1b[]PX^_]|[\u0090\u0098\u009d-\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)" +
	"|\x1b[ -/]*[0-~]")

// PlainText returns a text without the parts that a terminal acts on instead of showing them:
// control sequences, control characters other than line feeds and tabs, and marks that change the
// direction of writing.
func PlainText(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, terminalSequence.ReplaceAllString(text, ""))
}
