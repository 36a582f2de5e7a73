package provider

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var update = flag.Bool("update", false, "write the golden files of the tests that run")

// TestMessages compares every message of the provider with one file. The file has the
// whole messages, in the order in which a user can meet them, so that a reviewer sees how
// a changed message reads.
func TestMessages(t *testing.T) {
	source := readSource(t, ".")
	messages := source.messages(t)
	var b strings.Builder
	b.WriteString("Every diagnostic of the provider, in the order in which a user can meet them. An ellipsis stands for what is known only when it happens,\n" +
		"‹error› for an error with what to do next, as at the end of this file. Braces hold the forms of a text, and brackets what is not always there.\n" +
		"An error of the service stands on the argument whose value it refuses, where it names one.\n")
	title := ""
	for _, m := range messages {
		if m.phase != title {
			title = m.phase
			fmt.Fprintf(&b, "\n\n== %s ==\n", title)
		}
		b.WriteString("\n" + m.String())
	}
	b.WriteString("\n\n== What rules of values say of an argument x ==\n")
	for _, sample := range textRuleSamples {
		for _, refusal := range refusalOf(sample.rule, sample.value) {
			fmt.Fprintf(&b, "\nError on x: %s\n%s\n", refusal.Summary(), indented(refusal.Detail()))
		}
	}
	b.WriteString("\n\n== What an error says, and what to do next ==\n")
	for _, sample := range errorSamples {
		fmt.Fprintf(&b, "\n%s:\n%s\n", sample.name, indented(diagnostics.Explain(sample.err)))
	}
	b.WriteString("\n\n== What else errors of the client are made of ==\n\n")
	for _, text := range readSource(t, "../client").errorTexts() {
		b.WriteString(text + "\n")
	}
	mustBeGolden(t, "messages.golden", b.String())
	for _, m := range messages {
		m.mustReadWell(t)
	}
	for _, sample := range errorSamples {
		text := diagnostics.Explain(sample.err)
		if first := []rune(text)[0]; unicode.IsLower(first) && !strings.ContainsAny(strings.Fields(text)[0], ":/_") {
			t.Errorf("%s: got %s, want a capital letter first", sample.name, text)
		}
		mustBeTidy(t, text)
	}
	mustNotRepeat(t, messages)
}

// mustBeGolden compares a text with a file of testdata, or writes the file with -update.
func mustBeGolden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; read the difference, and run go test ./internal/provider -run '^%s$' -update):\n%s", path, t.Name(), diff)
	}
}

// A message is a diagnostic, as far as the source determines it.
type message struct {
	phase      string
	severity   string
	attributes []string // none if it is about the whole resource
	summary    string
	detail     string
}

func (m message) String() string {
	on := ""
	if len(m.attributes) > 0 {
		on = " on " + strings.Join(m.attributes, ", ")
	}
	return fmt.Sprintf("%s%s: %s\n%s\n", m.severity, on, m.summary, indented(m.detail))
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// mustReadWell checks the form of a message. A function's error continues a sentence that
// Terraform begins, and Terraform adds the full stop.
func (m message) mustReadWell(t *testing.T) {
	t.Helper()
	function := m.severity == "Error of a function"
	for _, text := range []string{m.summary, m.detail} {
		first, _, _ := strings.Cut(text, " ")
		if begins := []rune(text + " ")[0]; !function && unicode.IsLower(begins) && !strings.HasPrefix(first, "terraform") {
			t.Errorf("a text: got %s, want a capital letter first", text)
		}
		mustBeTidy(t, text)
	}
	if strings.HasSuffix(m.summary, ".") {
		t.Errorf("a summary: got %s, want no full stop at the end", m.summary)
	}
	if end := m.detail[len(m.detail)-1:]; function == (end == ".") && !strings.HasSuffix(m.detail, "…") && !strings.HasSuffix(m.detail, "\n") &&
		!strings.HasSuffix(m.detail, "›") && !strings.HasSuffix(m.detail, "NAME") {
		t.Errorf("a detail: got %q as the end of %s, want a full stop, and none in a function's error", end, m.detail)
	}
}

func mustBeTidy(t *testing.T, text string) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "..") || strings.Contains(strings.TrimLeft(line, " "), "  ") {
			t.Errorf("a text: got %s, want no two periods or spaces in a row", text)
		}
	}
}

// mustNotRepeat asserts that no two summaries have the same detail, and that no error is
// also a warning.
func mustNotRepeat(t *testing.T, messages []message) {
	t.Helper()
	summaries := map[string]string{}
	for _, m := range messages {
		if !strings.ContainsFunc(strings.ReplaceAll(m.detail, "‹error›", ""), unicode.IsLetter) {
			continue
		}
		if other, ok := summaries[m.detail]; ok && other != m.summary {
			t.Errorf("messages that say %s: got %q and %q, want one", m.detail, other, m.summary)
		}
		summaries[m.detail] = m.summary
	}
	for i, m := range messages {
		if slices.ContainsFunc(messages[:i], func(other message) bool {
			return other.summary == m.summary && other.severity != m.severity && other.detail == m.detail
		}) {
			t.Errorf("%q: got an error and a warning, want one of them", m.summary)
		}
	}
}
