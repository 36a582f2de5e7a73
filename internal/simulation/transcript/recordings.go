package transcript

import (
	"maps"
	"slices"
	"strings"
)

// Recordings are what several CLIs asked in one scenario: for each CLI its lines.
type Recordings map[string][]string

const (
	recordedFrom = "recorded from "
	onlyFrom     = " | " // between the CLIs of a line and the line
)

// ParseRecordings reads what String has written.
func ParseRecordings(text string) Recordings {
	first, rest, _ := strings.Cut(text, "\n")
	r := Recordings{}
	for _, cli := range strings.Fields(strings.TrimPrefix(first, recordedFrom)) {
		r[cli] = []string{}
	}
	for line := range strings.Lines(rest) {
		from := slices.Collect(maps.Keys(r))
		if some, only, cut := strings.Cut(line, onlyFrom); cut {
			from, line = strings.Fields(some), only
		}
		for _, cli := range from {
			r[cli] = append(r[cli], strings.TrimSuffix(line, "\n"))
		}
	}
	return r
}

// String writes the lines of all CLIs once. The first line names the CLIs. A line that not
// all of them have begins with the names of those that have it.
func (r Recordings) String() string {
	clis := slices.Sorted(maps.Keys(r))
	var all []shared
	for _, cli := range clis {
		all = merge(all, cli, r[cli])
	}
	var out strings.Builder
	out.WriteString(recordedFrom + strings.Join(clis, " ") + "\n")
	for _, line := range all {
		if len(line.clis) < len(clis) {
			out.WriteString(strings.Join(line.clis, " ") + onlyFrom)
		}
		out.WriteString(line.text + "\n")
	}
	return out.String()
}

// A shared line belongs to some CLIs.
type shared struct {
	text string
	clis []string
}

// merge adds the lines of one more CLI. It shares as many as their order allows.
func merge(all []shared, cli string, lines []string) (merged []shared) {
	// common[i][j] is how many lines all[i:] and lines[j:] can share.
	common := make([][]int, len(all)+1)
	for i := range common {
		common[i] = make([]int, len(lines)+1)
	}
	for i := len(all) - 1; i >= 0; i-- {
		for j := len(lines) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if all[i].text == lines[j] {
				common[i][j] = 1 + common[i+1][j+1]
			}
		}
	}
	i, j := 0, 0
	for i < len(all) || j < len(lines) {
		switch {
		case i < len(all) && j < len(lines) && all[i].text == lines[j]:
			merged = append(merged, shared{lines[j], append(all[i].clis, cli)})
			i, j = i+1, j+1
		case j == len(lines) || i < len(all) && common[i+1][j] >= common[i][j+1]:
			merged = append(merged, all[i])
			i++
		default:
			merged = append(merged, shared{lines[j], []string{cli}})
			j++
		}
	}
	return merged
}

// asIn begins the line that replaces the calls of a first command.
const asIn = "  as in "

// Shorten replaces the calls of the first command by a reference to another scenario that
// has no other command, if it is recorded and has the same calls.
func Shorten(lines []string, other string, whole []string) []string {
	habits, commands := parts(lines)
	_, first := parts(whole)
	n := len(first)
	if n == 0 || n >= len(commands) || !slices.Equal(commands[:n], first) || strings.HasPrefix(commands[n], " ") {
		return lines
	}
	return slices.Concat(habits, first[:1], []string{asIn + other}, commands[n:])
}

// Whole replaces the reference that Shorten has put in.
func Whole(lines []string, other string, whole []string) []string {
	i := slices.Index(lines, asIn+other)
	if i < 0 {
		return lines
	}
	_, first := parts(whole)
	return slices.Concat(lines[:i], first[1:], lines[i+1:])
}

// parts cuts lines after the habits.
func parts(lines []string) (habits, commands []string) {
	n := 0
	for n < len(lines) && strings.HasPrefix(lines[n], habit) {
		n++
	}
	return lines[:n], lines[n:]
}
