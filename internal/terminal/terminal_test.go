package terminal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/terminal"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want string
	}{
		"short":              {"one two", "one two"},
		"as long as it fits": {"one two th", "one two th"},
		"longer":             {"one two three four", "one two\nthree four"},
		"lines":              {"one two\nthree four five", "one two\nthree four\nfive"},
		"a long word":        {"http://127.0.0.1:8080 is it", "http://127.0.0.1:8080\nis it"},
		"only a long word":   {"http://127.0.0.1:8080", "http://127.0.0.1:8080"},
		"indented":           {"  http://127.0.0.1", "  http://127.0.0.1"},
		"letters, not bytes": {"éééé ééééé", "éééé ééééé"},
	} {
		if got := terminal.Wrap(test.text, 10); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// Text to a buffer, a file or the null device is plain.
func TestStyleWithoutATerminal(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	unset := func(string) string { return "" }
	if terminal.StyleOf(&bytes.Buffer{}, unset) || terminal.StyleOf(file, unset) || terminal.StyleOf(null, unset) {
		t.Error("the style without a terminal: got colours, want none")
	}
	if got := terminal.Style(false).Good("done"); got != "done" {
		t.Errorf("plain text: got %q, want done", got)
	}
	if got := terminal.Style(true).Good("done"); got != "\x1b[32mdone\x1b[0m" {
		t.Errorf("coloured text: got %q, want it in green", got)
	}
}
