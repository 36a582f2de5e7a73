package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// A long folder has a line of its own, and is quoted for the shell.
func TestKeeping(t *testing.T) {
	t.Parallel()
	if got, want := keeping(settings{state: "/srv/the state of the team"}), "to continue, start it again with\n--state \"/srv/the state of the team\""; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The greeting fits a terminal of 80 columns, and ends with the next step. Colours change
// nothing else of it.
func TestGreeting(t *testing.T) {
	t.Parallel()
	g := greeting{
		root: "http://127.0.0.1:8080", speed: 60, key: strings.Repeat("K", 26), token: strings.Repeat("T", 26), email: "customer@example.com", password: strings.Repeat("P", 26),
		engines:  "What it provisions is real:\nPostgreSQL 17 from /usr/lib/postgresql/17/bin, without PgBouncer, so there is no pooled port (apt-get install pgbouncer).",
		forecast: forecast(settings{weather: weather.Storm, seed: 18446744073709551615}), keeping: "it keeps nothing.",
	}
	plain := g.text(false)
	for line := range strings.Lines(plain) {
		if length := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); length > 80 {
			t.Errorf("columns of %q: got %d, want at most 80", line, length)
		}
	}
	if strings.Contains(plain, "\x1b") {
		t.Errorf("the greeting without a terminal: got %q, want plain text", plain)
	}
	first, _, _ := strings.Cut(plain, "\n")
	if first != "The fake service answers at http://127.0.0.1:8080/api/v1" {
		t.Errorf("the first line: got %q, want the base URL at its end", first)
	}
	_, next, _ := strings.Cut(plain, "Next: ")
	for _, want := range []string{"export HOSTING_BASE_URL=http://127.0.0.1:8080/api/v1\n", "export HOSTING_API_KEY=" + g.key + "\n", "terraform plan\n"} {
		if !strings.Contains(next, want) {
			t.Errorf("the next step: got %q, want %q", next, want)
		}
	}
	coloured := g.text(true)
	if !strings.Contains(coloured, "\x1b[36mhttp://127.0.0.1:8080/api/v1\x1b[0m") {
		t.Errorf("the greeting on a terminal: got %q, want a coloured address", coloured)
	}
	if got := regexp.MustCompile(`\x1b\[\d*m`).ReplaceAllString(coloured, ""); got != plain {
		t.Errorf("the greeting on a terminal without its colours: got %q, want %q", got, plain)
	}
}
