package main

import (
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestRepositories(t *testing.T) {
	t.Parallel()
	all := repositories{}
	for _, text := range []string{"octo/guestbook=examples/guestbook/app", "octo/other=/srv/a=b", "octo/far=https://ada:hunter2@git.example/far.git", "octo/ssh=git@git.example:octo/ssh.git"} {
		must.Report(t, all.Set(text))
	}
	if want := "octo/far=https://git.example/far.git octo/guestbook=examples/guestbook/app octo/other=/srv/a=b octo/ssh=git@git.example:octo/ssh.git"; all.String() != want {
		t.Errorf("the repositories: got %s, want %s", all, want)
	}
	for _, text := range []string{"", "octo", "octo/app", "octo/app=", "=x", "/app=x", "octo/=x", "a/b/c=x", "octo/app=ext::sh://x", "octo/app=ftp://ada:hunter2@x/y"} {
		if err := all.Set(text); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Set(%q): got error %v, want one without the password", text, err)
		}
	}
}

func TestPatience(t *testing.T) {
	t.Parallel()
	for speed, want := range map[float64]time.Duration{0.5: 2 * time.Minute, 1: time.Minute, 20: 15 * time.Second} {
		if got := patience(speed); got != want {
			t.Errorf("patience(%g) = %s, want %s", speed, got, want)
		}
	}
}
