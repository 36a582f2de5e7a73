package transcript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lines(text string) []string { return strings.Split(text, " ") }

// TestRecordingsKeepEachCLI writes and reads the lines of three CLIs, and then replaces those
// of one.
func TestRecordingsKeepEachCLI(t *testing.T) {
	t.Parallel()
	r := Recordings{"b": lines("plan read apply"), "a": lines("read plan apply"), "c": lines("read plan plan close")}
	const want = `recorded from a b c
a c | read
plan
b | read
a b | apply
c | plan
c | close
`
	if diff := cmp.Diff(want, r.String()); diff != "" {
		t.Error(diff)
	}
	again := ParseRecordings(r.String())
	if diff := cmp.Diff(r, again); diff != "" {
		t.Error(diff)
	}
	r["c"], again["c"] = lines("plan"), lines("plan")
	if diff := cmp.Diff(r.String(), again.String()); diff != "" {
		t.Errorf("the order of recording counts: %s", diff)
	}
	if empty := ParseRecordings(""); len(empty) > 0 {
		t.Errorf("no file has %v", empty)
	}
}

func TestShortenAndWhole(t *testing.T) {
	t.Parallel()
	whole := []string{"- always", "apply", "  app", "    1 plan"}
	for name, c := range map[string]struct {
		lines, want []string
	}{
		"the same first command": {
			[]string{"- often", "apply", "  app", "    1 plan", "destroy", "  app"},
			[]string{"- often", "apply", "  as in create", "destroy", "  app"},
		},
		"more calls":      {[]string{"apply", "  app", "    1 plan", "    2 plan", "destroy"}, nil},
		"another call":    {[]string{"apply", "  app", "    1 read", "destroy"}, nil},
		"another command": {[]string{"refresh", "  app", "    1 plan", "destroy"}, nil},
		"itself":          {whole, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.want == nil {
				c.want = c.lines
			}
			if diff := cmp.Diff(c.lines, Shorten(c.lines, "create", nil)); diff != "" {
				t.Errorf("the other one is not recorded: %s", diff)
			}
			short := Shorten(c.lines, "create", whole)
			if diff := cmp.Diff(c.want, short); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.lines, Whole(short, "create", whole)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
