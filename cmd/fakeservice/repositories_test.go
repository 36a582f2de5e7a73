package main

import (
	"testing"
	"time"
)

func TestRepositories(t *testing.T) {
	t.Parallel()
	all := repositories{}
	for _, text := range []string{"octo/guestbook=examples/guestbook/app", "octo/other=/srv/a=b"} {
		if err := all.Set(text); err != nil {
			t.Error(err)
		}
	}
	if want := "octo/guestbook=examples/guestbook/app octo/other=/srv/a=b"; all.String() != want {
		t.Errorf("the repositories are %s, want %s", all, want)
	}
	for _, text := range []string{"", "octo", "octo/app", "octo/app=", "=x", "/app=x", "octo/=x", "a/b/c=x"} {
		if err := all.Set(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestPatience(t *testing.T) {
	t.Parallel()
	for speed, want := range map[float64]time.Duration{0.5: 2 * time.Minute, 1: time.Minute, 20: 15 * time.Second} {
		if got := patience(speed); got != want {
			t.Errorf("at speed %g an app has %s, want %s", speed, got, want)
		}
	}
}
