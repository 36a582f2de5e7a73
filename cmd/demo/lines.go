package main

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/width"

	"github.com/instance-hosting/terraform-provider-hosting/internal/terminal"
)

// line returns one of the demo's lines: a mark, a duration, and a text.
func line(mark, took, text string) string {
	return fmt.Sprintf("%s %6s  %s", mark, took, text)
}

// margin is the width of a line before its text.
const margin = 10

// wrapped returns a line whose text is broken to fit the columns. Its further lines are
// indented like the text of the first one.
func wrapped(mark, took, text string, columns int) string {
	text = terminal.Wrap(text, max(columns-margin, 1))
	return line(mark, took, strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", margin)))
}

// seconds formats a duration for people, with tenths of a second if they matter.
func seconds(d time.Duration) string {
	if d < 100*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// spinner turns during a step.
var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// goingOn returns the line about the current step, cut to the columns of the terminal. The
// last column stays free, because some terminals wrap after it.
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

// cut limits a text to one line with a number of columns, and drops the characters that
// a terminal cannot print.
func cut(text string, columns int) string {
	var kept strings.Builder
	used := 0
	ends := 0 // where the text is cut if the rest does not fit
	for _, r := range terminal.Printable(text) {
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

// bar draws a progress in percent.
func bar(percent int) string {
	const cells = 10
	full := min(max(percent, 0), 100) * cells / 100
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}
