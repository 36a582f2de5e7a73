package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// newTestScreen returns a screen with a number of columns, and a function that advances its
// time.
func newTestScreen(columns int) (*screen, *bytes.Buffer, func(time.Duration)) {
	var shown bytes.Buffer
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := &screen{out: &shown, columns: func() int { return columns }, now: func() time.Time { return now }}
	return s, &shown, func(d time.Duration) { now = now.Add(d) }
}

// play shows steps of every kind on a screen.
func play(s *screen, pass func(time.Duration)) {
	s.say("The guestbook.")
	s.begin(0, "Start %s", "the fake")
	pass(400 * time.Millisecond)
	s.done("It answers at %s", "http://here")
	s.begin(45*time.Second, "Apply it")
	pass(9 * time.Second)
	s.tell("create 40 %")
	s.tick()
	pass(30 * time.Second)
	s.done("It is deployed")
	pass(time.Second)
	s.done("It answers")
	s.begin(10*time.Second, "Plan again")
	pass(2 * time.Second)
	s.end(true)
}

func TestScreenWithoutATerminal(t *testing.T) {
	t.Parallel()
	s, shown, pass := newTestScreen(0)
	play(s, pass)
	want := `The guestbook.
✓   0.4s  It answers at http://here
…         Apply it, about 45s
✓  39.0s  It is deployed
✓   1.0s  It answers
…         Plan again, about 10s
✗   2.0s  Plan again
`
	if diff := cmp.Diff(want, shown.String()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// On a terminal the same lines are permanent, and nothing else is.
func TestScreenOnATerminal(t *testing.T) {
	t.Parallel()
	s, shown, pass := newTestScreen(40)
	play(s, pass)
	const (
		drawn   = "\r%s\x1b[K"
		cleared = "\r\x1b[K"
	)
	going := func(text string) string { return fmt.Sprintf(drawn, text) }
	want := "The guestbook.\n" +
		going("⠋   0.0s  Start the fake") +
		cleared + "✓   0.4s  It answers at http://here\n" + going("⠋   0.4s  Start the fake") +
		going("⠋   0.0s  Apply it, about 45s") +
		going("⠋   9.0s  Apply it, about 45s · create…") +
		going("⠙   9.0s  Apply it, about 45s · create…") +
		cleared + "✓  39.0s  It is deployed\n" + going("⠙  39.0s  Apply it, about 45s · create…") +
		cleared + "✓   1.0s  It answers\n" + going("⠙  40.0s  Apply it, about 45s · create…") +
		going("⠙   0.0s  Plan again, about 10s") +
		cleared + "✗   2.0s  Plan again\n"
	if diff := cmp.Diff(want, shown.String()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestScreenLetsAProgramThrough(t *testing.T) {
	t.Parallel()
	s, shown, _ := newTestScreen(40)
	s.begin(0, "Plan")
	shown.Reset()
	for _, part := range []string{"Plan: 7 ", "to add", "\nApplying", "...\nDone\nand"} {
		if n, err := s.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("Write(%q): got %d and error %v, want %d", part, n, err, len(part))
		}
	}
	live := "\r⠋   0.0s  Plan\x1b[K"
	if diff := cmp.Diff("\r\x1b[KPlan: 7 to add\n"+live+"\r\x1b[KApplying...\nDone\n"+live, shown.String()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// An interrupted step prints nothing more, because its end is meaningless.
func TestScreenIsInterrupted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		doing, want string
	}{
		"in a step":     {"Apply it", "…         Stopping: Terraform saves what it has, then the fake ends\nInterrupted.\n"},
		"between steps": {"", "…         Stopping the fake\nInterrupted.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, shown, _ := newTestScreen(0)
			if test.doing != "" {
				s.begin(0, "%s", test.doing)
			}
			s.interrupted()
			s.done("It is deployed")
			s.begin(time.Minute, "Verify it")
			s.end(true)
			s.say("Interrupted.")
			if diff := cmp.Diff(test.want, shown.String()); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

// Lines fit the screen, and 80 columns without a terminal. Only --verbose shows details.
func TestScreenWrapsAndSummarizes(t *testing.T) {
	t.Parallel()
	const long = "After the redeploy of the app: message, account and counter are there, as they were before"
	for name, test := range map[string]struct {
		columns int
		verbose bool
		want    string
	}{
		"without a terminal": {0, true, "✓   0.0s  After the redeploy of the app: message, account and counter are there,\n          as they were before\n          app_url = http://a\n"},
		"short":              {0, false, "✓   0.0s  After the redeploy of the app: message, account and counter are there,\n          as they were before\n"},
	} {
		s, shown, _ := newTestScreen(test.columns)
		s.verbose, s.marked = test.verbose, s.now()
		s.done(long)
		s.aside("app_url = %s", "http://a")
		if diff := cmp.Diff(test.want, shown.String()); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", name, diff)
		}
	}
	s, shown, _ := newTestScreen(40)
	s.marked = s.now()
	s.done(long)
	for line := range strings.Lines(shown.String()) {
		if length := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); length > 40 {
			t.Errorf("columns of %q: got %d, want at most 40", line, length)
		}
	}
}

// The last lines fit 80 columns, are plain without colours, and end with the next step.
func TestLookAround(t *testing.T) {
	t.Parallel()
	s, _, _ := newTestScreen(0)
	fake := &fakeProcess{origin: "http://127.0.0.1:45678", token: strings.Repeat("T", 26), password: strings.Repeat("P", 26)}
	work := &workspace{cli: "/usr/local/bin/terraform", module: "/home/me/hosting/.demo/guestbook", environmentFile: "/home/me/hosting/.demo/env", psqlFile: "/home/me/hosting/.demo/psql", progressFile: "/home/me/hosting/.demo/progress.jsonl"}
	for _, text := range []string{lookAround(fake, work, guestbook{AppURL: "http://127.65.1.2:3000"}, s), nextStep(s)} {
		for line := range strings.Lines(text) {
			if length := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); length > 80 {
				t.Errorf("columns of %q: got %d, want at most 80", line, length)
			}
		}
		if strings.Contains(text, "\x1b") || !strings.Contains(text, "Next: ") {
			t.Errorf("got %q, want plain text with the next step", text)
		}
	}
	s.style = true
	if text := lookAround(fake, work, guestbook{AppURL: "http://127.65.1.2:3000"}, s); !strings.Contains(text, "\x1b[36mhttp://127.65.1.2:3000\x1b[0m") {
		t.Errorf("on a terminal: got %q, want a coloured address", text)
	}
}
