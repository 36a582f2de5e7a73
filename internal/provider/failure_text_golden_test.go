package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A failedStory is what a call does when something fails.
type failedStory struct{ failure, text string }

// A failureText writes what calls do usually, and what they do when something fails. Failures
// with the same outcome share its text, lines that are as usual are only named, and a call
// refers to an earlier one that does the same after the same failure.
type failureText struct {
	out  strings.Builder
	told map[failedStory]string // the title under which a story is told
}

// add writes a call.
func (f *failureText) add(title, usual string, failing []failedStory) {
	if f.told == nil {
		f.told = map[failedStory]string{}
	}
	fmt.Fprintf(&f.out, "%s\n%s", title, usual)
	var titles, texts []string
	failures, as := map[string][]string{}, map[string][]string{}
	for _, story := range failing {
		switch earlier, known := f.told[story]; {
		case known:
			if as[earlier] == nil {
				titles = append(titles, earlier)
			}
			as[earlier] = append(as[earlier], story.failure)
		default:
			if failures[story.text] == nil {
				texts = append(texts, story.text)
			}
			failures[story.text] = append(failures[story.text], story.failure)
			f.told[story] = title
		}
	}
	for _, text := range texts {
		fmt.Fprintf(&f.out, "%s\n%s", strings.Join(failures[text], "\n"), besides(usual, text))
	}
	for _, earlier := range titles {
		fmt.Fprintf(&f.out, "%s\n  as with %s\n", strings.Join(as[earlier], "\n"), strings.TrimPrefix(earlier, "# "))
	}
}

// besides returns the lines of a text. Those that are as usual are only named.
func besides(usual, text string) string {
	var names []string
	known := map[string]string{} // the names of the usual lines
	for line := range strings.Lines(usual) {
		known[line] = nameOfLine(line)
		names = append(names, known[line])
	}
	var out strings.Builder
	var same []string
	end := func() {
		if len(same) > 0 {
			fmt.Fprintf(&out, "  as usual: %s\n", strings.Join(same, "; "))
		}
		same = nil
	}
	for line := range strings.Lines(text) {
		name := known[line]
		isUnique := len(slices.DeleteFunc(slices.Clone(names), func(other string) bool { return other != name })) == 1
		if name != "" && isUnique {
			same = append(same, name)
			continue
		}
		end()
		out.WriteString(line)
	}
	end()
	return out.String()
}

// nameOfLine returns the beginning of a line, without the values.
func nameOfLine(line string) string {
	line = strings.TrimSpace(line)
	severity := ""
	for _, s := range []string{"error: ", "warning: "} {
		if rest, ok := strings.CutPrefix(line, s); ok {
			severity, line = s, rest
		}
	}
	if strings.HasPrefix(line, "{") {
		return "the result"
	}
	for _, end := range []string{" = ", " {", ": ", ". "} {
		line, _, _ = strings.Cut(line, end)
	}
	return severity + line
}

func TestFailureText(t *testing.T) {
	t.Parallel()
	var f failureText
	first := "  makes {\"a\":1}\n  notes account = {}\n"
	usual := first + "  sends POST /a {\"a\":1}\n  sends PATCH /a {\"b\":1}\n  sends PATCH /a {\"b\":2}\n"
	refused := "  error: Unable: It is refused\n  makes nothing\n"
	half := "  warning: Odd: It is\n" + first + "  notes other = {}\n  sends POST /a {\"a\":1}\n  sends PATCH /a {\"b\":1}\n"
	failing := []failedStory{{"401 at /a", refused}, {"404 at /a", half}, {"401 at /b", refused}}
	f.add("# first", usual, failing)
	f.add("# second", "  makes {}\n", []failedStory{failing[2], {"404 at /a", refused}, failing[0]})
	const want = `# first
  makes {"a":1}
  notes account = {}
  sends POST /a {"a":1}
  sends PATCH /a {"b":1}
  sends PATCH /a {"b":2}
401 at /a
401 at /b
  error: Unable: It is refused
  makes nothing
404 at /a
  warning: Odd: It is
  as usual: makes; notes account
  notes other = {}
  as usual: sends POST /a
  sends PATCH /a {"b":1}
# second
  makes {}
404 at /a
  error: Unable: It is refused
  makes nothing
401 at /b
401 at /a
  as with first
`
	if diff := cmp.Diff(want, f.out.String()); diff != "" {
		t.Error(diff)
	}
}
