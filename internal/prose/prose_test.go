package prose

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/toolchain"
)

// root is the project's root, as seen from this package.
const root = "../.."

// An alert is one finding of Vale.
type alert struct {
	Check, Message, Severity string
	Line                     int
}

// alerts lints files, named from the root, and returns the alerts of each.
func alerts(t *testing.T, level string, files []string) map[string][]alert {
	t.Helper()
	command := exec.CommandContext(t.Context(), toolchain.Find(t, root, "vale"),
		append([]string{"--no-global", "--no-exit", "--output=JSON", "--minAlertLevel=" + level}, files...)...)
	command.Dir = root
	output, err := command.Output()
	if err != nil {
		t.Fatalf("vale: %v\n%s", err, output)
	}
	found := map[string][]alert{}
	if err := json.Unmarshal(output, &found); err != nil {
		t.Fatalf("vale: %v\n%s", err, output)
	}
	return found
}

// files lists the project's files with an extension. Templates are left out, because the
// pages made from them are in docs.
func files(t *testing.T, extensions ...string) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", "ls-files", "-co", "--exclude-standard")
	command.Dir = root
	output, err := command.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	return slices.DeleteFunc(strings.Fields(string(output)), func(file string) bool {
		_, err := os.Stat(filepath.Join(root, file))
		return err != nil || !slices.Contains(extensions, path.Ext(file)) || strings.HasPrefix(file, "templates/")
	})
}

// TestAlerts fails if Vale finds errors in documents or messages, or errors or warnings in
// Go files.
func TestAlerts(t *testing.T) {
	found := alerts(t, "error", files(t, ".md", ".golden"))
	maps.Copy(found, alerts(t, "warning", files(t, ".go")))
	for _, file := range slices.Sorted(maps.Keys(found)) {
		for _, a := range found[file] {
			t.Errorf("%s:%d: %s (%s)", file, a.Line, a.Message, a.Check)
		}
	}
}

// TestRules lints sentences from this project that were hard to read, and sentences that
// are plain English but resemble them. A rule must catch at least two of the hard ones to
// count, so that no rule is written for a single sentence.
func TestRules(t *testing.T) {
	hard, plain := sentences(t, "bad.txt"), sentences(t, "good.txt")
	byRule := map[string]map[int]bool{}
	for line, rules := range rulesByLine(t, "bad.txt") {
		for _, rule := range rules {
			if byRule[rule] == nil {
				byRule[rule] = map[int]bool{}
			}
			byRule[rule][line] = true
		}
	}
	caught := map[int]bool{}
	for _, lines := range byRule {
		if len(lines) > 1 {
			maps.Copy(caught, lines)
		}
	}
	if len(hard) != 60 || len(caught) < 50 {
		t.Errorf("got %d of %d hard sentences, want 50 of 60", len(caught), len(hard))
		for i, sentence := range hard {
			if !caught[i] {
				t.Log("not caught:", sentence)
			}
		}
	}
	flagged := rulesByLine(t, "good.txt")
	if len(plain) != 60 || len(flagged) > 2 {
		t.Errorf("got %d of %d plain sentences, want at most 2 of 60", len(flagged), len(plain))
		for i, rules := range flagged {
			t.Log("flagged:", rules, plain[i])
		}
	}
}

// sentences returns the sentences of a file, one from each line.
func sentences(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// rulesByLine returns the rules that match each sentence of a file, by its index. Each
// sentence is linted as a paragraph of Markdown.
func rulesByLine(t *testing.T, file string) map[int][]string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "sentences.md")
	if err := os.WriteFile(copied, []byte(strings.Join(sentences(t, file), "\n\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rules := map[int][]string{}
	for _, a := range alerts(t, "suggestion", []string{copied})[copied] {
		if a.Check == "Hosting.Spelling" {
			continue // it checks single words, and does not apply to Go comments
		}
		line := (a.Line - 1) / 2
		rules[line] = append(rules[line], a.Check)
	}
	return rules
}
