package guidetest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// repository is the root of the project, relative to this package.
const repository = "../.."

// A block is a fenced block of a page, or a comment with a request to the fake.
type block struct {
	language string // "fake" for such a comment
	text     string
	line     int // in its page, from 1
}

var (
	fence = regexp.MustCompile("^( *)```(.*)$")
	told  = regexp.MustCompile(`^<!-- fake: (.*) -->$`)
)

// blocksOf returns the blocks of a page in their order.
func blocksOf(page string) []block {
	var blocks []block
	var open *block
	indent := ""
	for at, line := range strings.Split(page, "\n") {
		match := fence.FindStringSubmatch(line)
		switch {
		case open == nil && match != nil:
			indent = match[1]
			open = &block{language: strings.TrimSpace(match[2]), line: at + 1}
		case open != nil && match != nil && match[2] == "":
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		default:
			if match := told.FindStringSubmatch(line); match != nil {
				blocks = append(blocks, block{language: "fake", text: match[1], line: at + 1})
			}
		}
	}
	return blocks
}

var named = regexp.MustCompile(`^(?:#|//|--) ([\w./-]+\.[\w.]+)\n`)

// file returns the name of the file that a block contains, from a comment in its first
// line. It returns "" for any other block.
func (b block) file() string {
	match := named.FindStringSubmatch(b.text)
	if match == nil || b.language == "shell" || b.language == "console" {
		return ""
	}
	return match[1]
}

// A command is one command of a block of the language console, with the expected output.
type command struct {
	text string
	says string
}

// commands returns the commands of a block of the language console: lines that begin with a
// prompt, and their continuation after a backslash. The other lines are their output.
func (b block) commands() []command {
	var all []command
	goesOn := false
	for _, line := range strings.Split(strings.TrimSuffix(b.text, "\n"), "\n") {
		text, prompted := strings.CutPrefix(line, "$ ")
		switch {
		case prompted:
			all = append(all, command{text: text + "\n"})
		case len(all) == 0:
			all = append(all, command{says: line + "\n"}) // the caller rejects it
		case goesOn:
			all[len(all)-1].text += line + "\n"
		default:
			all[len(all)-1].says += line + "\n"
		}
		goesOn = (prompted || goesOn) && strings.HasSuffix(line, `\`)
	}
	return all
}

var (
	colour = regexp.MustCompile("\x1b\\[[0-9;]*m")
	margin = strings.NewReplacer("│", " ", "╷", " ", "╵", " ", "…", " … ")
)

// unwrapped returns an output as one line, without colours and the margins of diagnostics,
// because their position depends on the terminal's width.
func unwrapped(output string) string {
	return strings.Join(strings.Fields(margin.Replace(colour.ReplaceAllString(output, ""))), " ")
}

// shows reports whether an output matches a page, in which an ellipsis stands for anything.
// The page may leave out the beginning and the end.
func shows(output, said string) bool {
	output = unwrapped(output)
	for _, part := range strings.Split(unwrapped(said), "…") {
		part = strings.TrimSpace(part)
		at := strings.Index(output, part)
		if at < 0 {
			return false
		}
		output = output[at+len(part):]
	}
	return true
}

// pages returns the Markdown files of the project that people read, by their path from its
// root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	must.Do(t, filepath.WalkDir(repository, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != repository && (strings.HasPrefix(name, ".") && name != ".github" || name == "node_modules" || name == "testdata") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".md") {
			return nil
		}
		text, err := os.ReadFile(path)
		from, _ := filepath.Rel(repository, path) // both are relative
		all[filepath.ToSlash(from)] = string(text)
		return err
	}))
	return all
}

func TestBlocksOf(t *testing.T) {
	page := "Text\n```terraform\n# main.tf\na = 1\n```\n<!-- fake: POST /x {} -->\n<!-- other -->\n  ```shell\n  a \\\n    b\n  ```\n"
	want := []block{
		{"terraform", "# main.tf\na = 1\n", 2},
		{"fake", "POST /x {}", 6},
		{"shell", "a \\\n  b\n", 8},
	}
	got := blocksOf(page)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(block{})); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	for at, file := range []string{"main.tf", "", ""} {
		if got[at].file() != file {
			t.Errorf("the file of block %d: got %q, want %q", at, got[at].file(), file)
		}
	}
}

func TestCommands(t *testing.T) {
	b := block{language: "console", text: "$ terraform plan \\\n    -out=p\nNo changes.\n…\n$ echo $?\n0\n"}
	want := []command{{"terraform plan \\\n    -out=p\n", "No changes.\n…\n"}, {"echo $?\n", "0\n"}}
	if diff := cmp.Diff(want, b.commands(), cmp.AllowUnexported(command{})); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestShows(t *testing.T) {
	output := "first\n\x1b[31m╷\n│ Error: no\n│  room here\n╵\nlast"
	for said, want := range map[string]bool{
		"": true, "Error: no room here": true, "first … no room": true, "last … first": false, "Error: room": false,
	} {
		if got := shows(output, said); got != want {
			t.Errorf("shows %q: got %t, want %t", said, got, want)
		}
	}
}
