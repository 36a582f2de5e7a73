// Package terminal writes text for people: colours on a terminal that wants them, and lines
// that fit its width. Without a terminal the text is plain.
package terminal

import (
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Columns is the width of text whose terminal is not known.
const Columns = 80

// IsTerminal reports whether a file is a terminal. A terminal is a character device, and so
// is the null device, which does not count.
func IsTerminal(file *os.File) bool {
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// Printable returns a text without what moves the cursor, changes colours or breaks the
// line.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}

// Style colours text, or returns it unchanged if it is false.
type Style bool

// StyleOf returns the style of an output, given the environment. Text is coloured on a
// terminal, unless NO_COLOR is set or the terminal is dumb.
func StyleOf(out io.Writer, getenv func(string) string) Style {
	file, isFile := out.(*os.File)
	return Style(isFile && IsTerminal(file) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb")
}

// Strong marks a heading.
func (s Style) Strong(text string) string { return s.with("1", text) }

// Good marks a success.
func (s Style) Good(text string) string { return s.with("32", text) }

// Bad marks a failure.
func (s Style) Bad(text string) string { return s.with("31", text) }

// Address marks what a person opens or copies.
func (s Style) Address(text string) string { return s.with("36", text) }

func (s Style) with(code, text string) string {
	if !s || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Wrap breaks lines that are longer than the columns, at spaces. A word that is longer than
// a line stays whole, so that it can be copied. The text has no colours yet.
func Wrap(text string, columns int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		for utf8.RuneCountInString(line) > columns {
			at := breakOf(line, columns)
			if at < 0 {
				break
			}
			lines = append(lines, line[:at])
			line = line[at+1:]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// breakOf returns the position of the space at which a line is broken, or -1. It is the last
// one with which the line fits, or the first of a line that begins with a long word.
func breakOf(line string, columns int) int {
	fits := -1
	count := 0
	started := false
	for at, r := range line {
		if r != ' ' {
			started = true
		} else if started {
			if count <= columns {
				fits = at
			} else if fits < 0 {
				return at
			}
		}
		count++
	}
	return fits
}
