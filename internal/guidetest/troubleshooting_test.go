package guidetest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

var codeSpan = regexp.MustCompile("`([^`\n]+)`")

// patterns returns the messages in the tables of a page: the texts between backticks in a
// row's first cell, where an ellipsis stands for anything.
func patterns(page string) map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for _, line := range strings.Split(page, "\n") {
		row, ok := strings.CutPrefix(line, "| ")
		if !ok {
			continue
		}
		cell, _, _ := strings.Cut(row, " | ")
		for _, match := range codeSpan.FindAllStringSubmatch(cell, -1) {
			if strings.Trim(match[1], "… .:") == "" {
				continue
			}
			parts := strings.Split(match[1], "…")
			for at, part := range parts {
				parts[at] = regexp.QuoteMeta(part)
			}
			all[match[1]] = regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
		}
	}
	return all
}

// A said is a text that a user can read and search for.
type said struct {
	text string
	line int
}

var summary = regexp.MustCompile(`^(?:Error|Warning|Error of a function)(?: on [^:]*)?: (.+)$`)

// messagesOf returns the texts of the golden file: each summary, the first sentence of each
// error of the service, and the parts of errors of the client.
func messagesOf(golden string) []said {
	var all []said
	section := ""
	begins := false
	for at, line := range strings.Split(golden, "\n") {
		if title, ok := strings.CutPrefix(line, "== "); ok {
			section = strings.TrimSuffix(title, " ==")
			continue
		}
		match := summary.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(section, "What an error says"):
			if begins && line != "" {
				all = append(all, said{strings.TrimSpace(line), at + 1})
			}
			begins = line != "" && !strings.HasPrefix(line, " ")
		case strings.HasPrefix(section, "What else errors"):
			if line != "" {
				all = append(all, said{line, at + 1})
			}
		case match != nil:
			all = append(all, said{match[1], at + 1})
		}
	}
	return all
}

// TestEveryMessageIsFound compares the guide's list of messages with the provider's: a user
// who searches for the words of a message must find advice.
func TestEveryMessageIsFound(t *testing.T) {
	golden := must.Get(os.ReadFile(repository + "/internal/provider/testdata/messages.golden"))(t)
	page := must.Get(os.ReadFile(repository + "/docs/guides/troubleshooting.md"))(t)
	messages := messagesOf(string(golden))
	if len(messages) < 200 {
		t.Errorf("messages that were read: got %d, want at least 200", len(messages))
	}
	known := patterns(string(page))
	used := map[string]bool{}
	for _, message := range messages {
		found := false
		for text, pattern := range known {
			if pattern.MatchString(message.text) {
				found = true
				used[text] = true
			}
		}
		if !found {
			t.Errorf("messages.golden:%d: got no text on the page, want %s", message.line, message.text)
		}
	}
	for text := range known {
		if !used[text] {
			t.Errorf("the page: got the text %s, want only those of messages", text)
		}
	}
	t.Logf("%d messages found", len(messages))
}

func TestMessagesOf(t *testing.T) {
	golden := "Every diagnostic.\n\n== Planning ==\n\nError on a, b: First …\n  Detail.\n\nWarning: Second\n  Error: no message\n" +
		"\n== What an error says, and what to do next ==\n\nA name:\n  The words.\n  \n  What to do.\n\n== What else errors of the client are made of ==\n\nlast\n"
	var texts []string
	for _, m := range messagesOf(golden) {
		texts = append(texts, m.text)
	}
	if got := strings.Join(texts, "|"); got != "First …|Second|The words.|last" {
		t.Errorf("texts: got %q, want \"First …|Second|The words.|last\"", got)
	}
}
