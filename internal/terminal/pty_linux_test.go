package terminal_test

import (
	"os"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/terminal"
)

// A terminal has colours, unless NO_COLOR is set or it is dumb.
func TestStyleOnATerminal(t *testing.T) {
	t.Parallel()
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pty.Close()
	for name, test := range map[string]struct {
		environment map[string]string
		want        terminal.Style
	}{
		"a terminal":       {nil, true},
		"an empty setting": {map[string]string{"NO_COLOR": ""}, true},
		"NO_COLOR":         {map[string]string{"NO_COLOR": "1"}, false},
		"dumb":             {map[string]string{"TERM": "dumb"}, false},
	} {
		if got := terminal.StyleOf(pty, func(name string) string { return test.environment[name] }); got != test.want {
			t.Errorf("%s: got colours %t, want %t", name, got, test.want)
		}
	}
}
