package simulation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The text of a story is made of the lines that its world has told. It only names what the
// story of everyday life tells too, and refers to an earlier story of its file that continues
// in the same way.

// A storyStep is a command of a story and what happened then.
type storyStep struct {
	command string
	items   []storyItem
}

// A storyItem is one thing that happened: a call of the provider with its requests and
// messages, another message, the step's reads, a change in the state, or anything else.
type storyItem struct {
	what, about string // such as "create" and "app.this"; "" for anything else
	lines       []string
}

var (
	timeOfLine    = regexp.MustCompile(`^ *\S+  `)            // tell writes it
	checkoutToken = regexp.MustCompile(`/checkout/[a-z2-7]+`) // random
	typePrefix    = regexp.MustCompile(`\bhosting_([a-z_]+\.[a-z])`)
	callLine      = regexp.MustCompile(`^(create|update|delete|import) (\S+)$`)
	messageLine   = regexp.MustCompile(`^((?:error|warning) of [a-z ]+?) (\S+): `)
	requestLine   = regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE) `)
	readsLine     = regexp.MustCompile(`^(reads):() `)
	stateLine     = regexp.MustCompile(`^()(\S+): |^()(\S+) is no longer in the state$`)
	// uncounted are parts of lines that differ between stories in which the same happens.
	uncounted = regexp.MustCompile(`job-\d+| \(\d+ times\)|"20\d\d-\d\d-\d\dT[^"]*"`)
)

// storySteps reads the lines that a world has told.
func storySteps(told []string) (steps []storyStep) {
	for _, line := range countRepeated(told) {
		line = checkoutToken.ReplaceAllString(line, "/checkout/...")
		line = typePrefix.ReplaceAllString(line, "$1")
		command, begins := strings.CutPrefix(line, "\n")
		switch {
		case begins:
			steps = append(steps, storyStep{command: strings.TrimPrefix(command, "first: ")})
		case len(steps) > 0:
			steps[len(steps)-1].add(line)
		}
	}
	return steps
}

// add adds a line that has been told.
func (s *storyStep) add(line string) {
	line, isDetail := strings.CutPrefix(line, "    ")
	line = strings.TrimPrefix(strings.TrimPrefix(line, "first: "), "first ")
	last := &storyItem{}
	if len(s.items) > 0 {
		last = &s.items[len(s.items)-1]
	}
	item := storyItem{lines: []string{line}}
	calling, detail := callLine.MatchString(last.what+" "+last.about), stateLine.FindStringSubmatch(line)
	switch {
	case calling && (requestLine.MatchString(line) || strings.Contains(line, " of "+last.what+" "+last.about+": ")):
		line = strings.Replace(line, " of "+last.what+" "+last.about, "", 1)
		last.lines = append(last.lines, line)
		return
	case callLine.MatchString(line):
		item.what, item.about, _ = strings.Cut(line, " ")
	case messageLine.MatchString(line):
		parts := messageLine.FindStringSubmatch(line)
		item.what, item.about = parts[1], parts[2]
	case isDetail && readsLine.MatchString(line):
		item.what = theReads
	case isDetail && detail != nil:
		item.what, item.about = theState, detail[2]+detail[4]
	}
	s.items = append(s.items, item)
}

// The items that come after all others of a step, in no order.
const (
	theReads = "reads"
	theState = "state of"
)

// text returns the item's lines. The first request follows its call.
func (i storyItem) text() string {
	if len(i.lines) > 1 && requestLine.MatchString(i.lines[1]) {
		return strings.Join(append([]string{i.lines[0] + ": " + i.lines[1]}, i.lines[2:]...), "\n    ")
	}
	return strings.Join(i.lines, "\n    ")
}

// everyday are the names of the steps in which an item happens, by its text.
type everyday map[string]string

// learn adds the items of a step.
func (e everyday) learn(name string, s storyStep) {
	for _, item := range s.items {
		key := uncounted.ReplaceAllString(item.text(), "")
		if _, known := e[key]; !known && item.what != "" {
			e[key] = name
		}
	}
}

// text returns the step's lines. It only names what also happens in a step of everyday.
func (s storyStep) text(usual everyday) string {
	var lines []string
	var last named
	var details []named
	for _, item := range s.items {
		in, known := usual[uncounted.ReplaceAllString(item.text(), "")]
		switch isDetail := item.what == theReads || item.what == theState; {
		case !known:
			lines = append(lines, last.end()...)
			lines = append(lines, item.text())
		case isDetail:
			i := slices.IndexFunc(details, func(n named) bool { return n.in == in })
			if i < 0 {
				i, details = len(details), append(details, named{in: in})
			}
			details[i].add(item)
		default:
			if last.in != in {
				lines = append(lines, last.end()...)
			}
			last.in = in
			last.add(item)
		}
	}
	lines = append(lines, last.end()...)
	for _, d := range details {
		lines = append(lines, d.end()...)
	}
	var out strings.Builder
	for _, line := range lines {
		out.WriteString("\n  " + line)
	}
	return out.String()
}

// named are items that are only named, because they happen in a step of everyday.
type named struct {
	in, what, text string
}

func (n *named) add(item storyItem) {
	switch {
	case n.text != "" && item.what == n.what:
		n.text += ", " + item.about
	default:
		n.text = strings.TrimPrefix(n.text+"; "+strings.TrimSpace(item.what+" "+item.about), "; ")
	}
	n.what = item.what
}

// end returns the line of the items and forgets them.
func (n *named) end() (lines []string) {
	if n.text != "" {
		lines = []string{"as in life, " + n.in + ": " + n.text}
	}
	*n = named{}
	return lines
}

// A storyFile writes stories one after the other.
type storyFile struct {
	usual everyday
	out   strings.Builder
	told  map[string]string // where a step, or the steps to the end of a story, are told
}

// add writes a story. It refers to an earlier one in which the same happens, from one step
// on or in a step.
func (f *storyFile) add(title string, steps []storyStep) {
	fmt.Fprintf(&f.out, "# %s\n", title)
	defer f.out.WriteString("\n")
	for n, s := range steps {
		text, rest := s.text(f.usual), ""
		for _, later := range steps[n+1:] {
			rest += "\n" + later.command + later.text(f.usual)
		}
		verb, _, _ := strings.Cut(s.command, ";")
		f.out.WriteString(s.command)
		if where := f.tell(verb+text+rest, fmt.Sprintf("# %s, from step %d on", title, n+1)); where != "" && strings.Count(text+rest, "\n") > 1 {
			f.out.WriteString("\n  as in " + where + "\n")
			return
		}
		if rest != "" {
			if where := f.tell(verb+text, fmt.Sprintf("# %s, step %d", title, n+1)); where != "" && strings.Count(text, "\n") > 1 {
				text = "\n  as in " + where
			}
		}
		f.out.WriteString(text + "\n")
	}
}

// tell returns where a text has been told, or "" if it is told here.
func (f *storyFile) tell(text, here string) (where string) {
	key := uncounted.ReplaceAllString(text, "")
	if where = f.told[key]; where == "" {
		f.told[key] = here
	}
	return where
}

// countRepeated writes lines that follow each other and are equal once, with their number.
func countRepeated(lines []string) []string {
	var all []string
	for i, n := 0, 1; i < len(lines); i, n = i+n, 1 {
		line := timeOfLine.ReplaceAllString(lines[i], "")
		for i+n < len(lines) && timeOfLine.ReplaceAllString(lines[i+n], "") == line {
			n++
		}
		if n > 1 {
			line += fmt.Sprintf(" (%d times)", n)
		}
		all = append(all, line)
	}
	return all
}

// beginningOf returns the summary of a message and the first sentence of its detail.
func beginningOf(message string) string {
	summary, detail, _ := strings.Cut(message, "\n")
	ends := []int{len(detail)}
	for _, end := range []string{". ", ".\n", "\n", ": <"} {
		if i := strings.Index(detail, end); i >= 0 {
			ends = append(ends, i)
		}
	}
	return strings.TrimSpace(summary + ": " + detail[:slices.Min(ends)])
}

// TestStoryText writes two stories that share a part with everyday life, and a third one
// that continues as the second.
func TestStoryText(t *testing.T) {
	t.Parallel()
	told := func(text string) []storyStep {
		var lines []string
		for _, line := range strings.Split(text, "\n") {
			lines = append(lines, "     1.2s  "+strings.Replace(line, "> ", "\nfirst: ", 1))
		}
		return storySteps(lines)
	}
	creation := `> apply
first: create hosting_app.this
POST /apps {"links":1}: 202
PATCH /apps/a: 202
first: create hosting_zone.this
POST /zones: 202
    reads: 2 /apps
    first hosting_app.this: id = "a", job = "job-1"
    first hosting_zone.this: id = "z"`
	usual := everyday{}
	usual.learn("creation", told(creation)[0])
	usual.learn("end", told(`> destroy
first: warning of plan hosting_app.this: Lost: All of it
first: delete hosting_app.this
    first hosting_app.this is no longer in the state`)[0])
	destroy := `
> destroy; at all
first: delete hosting_app.this
    first hosting_app.this is no longer in the state
    first hosting_zone.this is no longer in the state`
	f := storyFile{usual: usual, told: map[string]string{}}
	f.add("undisturbed", told(creation+destroy))
	down := "/a: 502\nfirst: error of create hosting_app.this: Unable: It is down"
	disturbed := strings.NewReplacer("/a: 202", down, `job-1"`, `job-1", b = 1`).Replace(creation)
	again := `
> apply
GET /apps: 502, faulted
GET /apps: 502, faulted
first: warning of plan hosting_app.this: Lost: All of it
a person renames
second: create hosting_app.this
    second hosting_app.this: id = "b"`
	f.add("disturbed", told(disturbed+again+destroy))
	once := strings.Replace(again, "GET /apps: 502, faulted\n", "", 1)
	f.add("disturbed twice", told(strings.Replace(disturbed, "> apply", "> apply; twice", 1)+once+destroy))
	f.add("disturbed, and then not destroyed", told(disturbed+again+"\n> refresh"))
	const want = `# undisturbed
apply
  as in life, creation: create app.this, zone.this
  as in life, creation: reads; state of app.this, zone.this
destroy; at all
  as in life, end: delete app.this
  zone.this is no longer in the state
  as in life, end: state of app.this

# disturbed
apply
  create app.this: POST /apps {"links":1}: 202
    PATCH /apps/a: 502
    error: Unable: It is down
  as in life, creation: create zone.this
  app.this: id = "a", job = "job-1", b = 1
  as in life, creation: reads; state of zone.this
apply
  GET /apps: 502, faulted (2 times)
  as in life, end: warning of plan app.this
  a person renames
  second: create app.this
  second app.this: id = "b"
destroy; at all
  as in # undisturbed, from step 2 on

# disturbed twice
apply; twice
  as in # disturbed, from step 1 on

# disturbed, and then not destroyed
apply
  as in # disturbed, step 1
apply
  as in # disturbed, step 2
refresh

`
	if diff := cmp.Diff(want, f.out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestBeginningOfAMessage(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Unable to update\nIt answered 502 at v1.example/a. Try again.":   "Unable to update: It answered 502 at v1.example/a",
		"Unable to update\nIt answered a page: <html>\n<p>It broke. Now.": "Unable to update: It answered a page",
		"Unable to update\nIt answered\n\nTry again":                      "Unable to update: It answered",
		"Unable to update": "Unable to update:",
	} {
		if got := beginningOf(message); got != want {
			t.Errorf("the beginning of %q: got %q, want %q", message, got, want)
		}
	}
}
