package main

import (
	"testing"
	"time"
)

func TestSeconds(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]string{
		0: "0.0s", 42*time.Second + 740*time.Millisecond: "42.7s", 99 * time.Second: "99.0s",
		130*time.Second + 600*time.Millisecond: "2m11s",
	} {
		if got := seconds(took); got != want {
			t.Errorf("seconds(%v) = %q, want %q", took, got, want)
		}
	}
}

func TestGoingOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		frame                  int
		elapsed, doing, detail string
		columns                int
		want                   string
	}{
		"a step":               {0, "1.5s", "Plan again", "", 80, "⠋   1.5s  Plan again"},
		"a step in detail":     {1, "12.0s", "Apply", "create 40 %", 80, "⠙  12.0s  Apply · create 40 %"},
		"between steps":        {10, "", "", "app_update 10 %", 80, "⠋         app_update 10 %"},
		"cut":                  {0, "1.5s", "Apply the guestbook", "create", 20, "⠋   1.5s  Apply th…"},
		"fits to the column":   {0, "1.5s", "Apply", "", 16, "⠋   1.5s  Apply"},
		"cut by one column":    {0, "1.5s", "Apply", "", 15, "⠋   1.5s  App…"},
		"a terminal of no use": {0, "1.5s", "Apply", "", 1, "…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := goingOn(test.frame, test.elapsed, test.doing, test.detail, test.columns); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text    string
		columns int
		want    string
	}{
		"nothing":                     {"", 5, ""},
		"as long as there is room":    {"naïve", 5, "naïve"},
		"longer":                      {"naïvely", 5, "naïv…"},
		"wide letters":                {"建設中です", 10, "建設中です"},
		"wide letters, cut":           {"建設中です", 9, "建設中で…"},
		"wide letters, cut in two":    {"建設中です", 8, "建設中…"},
		"colours and cursors are out": {"\x1b[31mred\x1b[0m\r\n\ttext", 80, "[31mred[0mtext"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := cut(test.text, test.columns); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
