package main

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/width"
)

// line is one of the demo's lines: a mark, how long it took, and what it is about.
func line(mark, took, text string) string {
	return fmt.Sprintf("%s %6s  %s", mark, took, text)
}

// indented is a line that belongs to the one above it.
func indented(text string) string { return line(" ", "", text) }

// seconds writes a duration as people say it: tenths of a second where they matter.
func seconds(d time.Duration) string {
	if d < 100*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// spinner turns while something goes on.
var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// goingOn is the line that says what goes on, cut to a terminal of so many columns. The
// last column stays free, as some terminals go to the next line behind it.
func goingOn(frame int, elapsed, doing, detail string, columns int) string {
	text := doing
	switch {
	case text == "":
		text = detail
	case detail != "":
		text += " · " + detail
	}
	return cut(line(spinner[frame%len(spinner)], elapsed, text), columns-1)
}

// cut makes a text one line of at most so many columns. What would move the cursor or
// change colours is left out.
func cut(text string, columns int) string {
	var kept strings.Builder
	used := 0
	ends := 0 // where the text is cut if the rest does not fit
	for _, r := range text {
		if !unicode.IsPrint(r) {
			continue
		}
		wide := 1
		if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			wide = 2
		}
		if used+wide > columns {
			return kept.String()[:ends] + "…"
		}
		kept.WriteRune(r)
		if used += wide; used < columns {
			ends = kept.Len()
		}
	}
	return kept.String()
}

// bar is a picture of a progress in percent.
func bar(percent int) string {
	const cells = 10
	full := min(max(percent, 0), 100) * cells / 100
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}
