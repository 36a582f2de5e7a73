//go:build demo

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// mostLines is the maximum number of lines that a person reads.
const mostLines = 60

// proofs are the lines that the demo must print, in this order.
var proofs = []string{
	"✓ .* The fake service answers at http",
	"✓ .* has the provider that was built",
	"✓ .* The guestbook is deployed",
	" of the service's time: ",
	"✓ .* A second plan changes nothing",
	"✓ .* Verified .*: [0-9]+ checks, through a redeploy and a kill -9",
	"✓ .* events came to the webhook endpoint, each signed",
	"✓ .* Every request and answer matched the API document",
	"^Everything worked, in ",
}

// details are lines that only --verbose prints, without the breaks that fit the screen.
var details = []string{
	" app_url = ", " The jobs that waited for each other: create ", "/healthz: 200 ok", " posted, and the page shows: ",
	" After the redeploy of the app: message, account and counter are there", " After the kill -9 of Postgres: message, account and counter are there",
}

// colours matches the colours of a line on a terminal.
var colours = regexp.MustCompile(`\x1b\[[0-9]*m`)

// mustShow checks that a demo prints its details with --verbose, and only then.
func mustShow(t *testing.T, lines []string, verbose bool) {
	t.Helper()
	text := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
	for _, detail := range details {
		if got := strings.Contains(text, detail); got != verbose {
			t.Errorf("the output has %q: got %t, want %t", detail, got, verbose)
		}
	}
}

// mustFit checks that lines fit 80 columns, except those with a word that is longer, and
// are plain.
func mustFit(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		words := strings.Fields(line)
		longest := 0
		for _, word := range words {
			longest = max(longest, utf8.RuneCountInString(word))
		}
		if length := utf8.RuneCountInString(line); length > 80 && longest < 60 || strings.Contains(line, "\x1b") {
			t.Errorf("columns of the line %q: got %d, want plain text of at most 80", line, length)
		}
	}
}

// check checks the final lines of the demo on a screen.
func check(t *testing.T, lines, proofs []string) {
	t.Helper()
	if len(lines) > mostLines {
		t.Errorf("lines of the output: got %d, want at most %d", len(lines), mostLines)
	}
	text := strings.Join(lines, "\n")
	for _, noise := range []string{"Warning", "overrides", "BEGIN CERTIFICATE", "level=", "Still creating", "Stopping", "✗"} {
		if strings.Contains(text, noise) {
			t.Errorf("the output: got %q in it, want it without", noise)
		}
	}
	next := 0
	for _, line := range lines {
		if next < len(proofs) && regexp.MustCompile(proofs[next]).MatchString(line) {
			next++
		}
	}
	if next < len(proofs) {
		t.Errorf("the output: got no line like %q after the line before it, want one", proofs[next])
	}
	if t.Failed() {
		t.Log(text)
	}
}

// The README's first command, as CI runs it.
func TestDemoWithoutATerminal(t *testing.T) {
	_, cli := programs(t)
	place := t.TempDir()
	command := exec.Command("make", "--no-print-directory", "demo", "DEMOARGS="+strings.Join([]string{
		"--cli", cli, "--folder", filepath.Join(place, "work"),
	}, " "))
	command.Dir = root
	var printed bytes.Buffer
	command.Stdout = io.MultiWriter(&printed, t.Output())
	command.Stderr = command.Stdout
	if err := command.Run(); err != nil {
		t.Fatalf("make demo: got %v, want no error", err)
	}
	proofs := append(proofs[:len(proofs)-2:len(proofs)-2],
		"…         Destroy the guestbook, about ", "✓ .* the fake has nothing left", proofs[len(proofs)-2], proofs[len(proofs)-1])
	lines := strings.Split(strings.TrimSpace(printed.String()), "\n")
	check(t, lines, proofs)
	mustShow(t, lines, false)
	mustFit(t, lines)
	if _, err := os.Stat(filepath.Join(place, "work")); err == nil {
		t.Error("the demo's folder: got it after the end, want it gone")
	}
}

// With --verbose, on a terminal, it prints the details. It stays up, and each line that it suggests works when it is copied.
func TestDemoOnATerminal(t *testing.T) {
	tier.Night.Only(t)
	if _, err := exec.LookPath("psql"); err != nil {
		machine.Lacks(t, "the demo is looked at with psql: %s", err)
	}
	d := demonstrate(t, "--verbose")
	must.Do(t, d.terminal.Close())
	d.until(t, "the last line of what to look at", func(text string) bool {
		return strings.Contains(text, "the guide docs/guides/first-app.md") && strings.HasSuffix(text, "\r\n")
	})
	var lines []string
	for _, line := range stays(d.text()) {
		lines = append(lines, colours.ReplaceAllString(line, ""))
	}
	check(t, lines, proofs)
	mustShow(t, lines, true)
	if !strings.Contains(d.text(), "\x1b[32m✓\x1b[0m") {
		t.Errorf("on a terminal: got %s, want coloured marks", d.end())
	}
	for _, live := range []string{"Apply the guestbook, about 45s · create █", " · build of guestbook, ", "Verify it in Chromium, and through restarts"} {
		if !strings.Contains(d.text(), live) {
			t.Errorf("the output: got no %q, want it at least once", live)
		}
	}
	text := strings.Join(lines, "\n")
	given := func(pattern string) string {
		match := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if match == nil {
			t.Fatalf("the output: got\n%s\nwant a match of %s", text, pattern)
		}
		return match[1]
	}

	for _, page := range []string{given(`The guestbook:  (\S+)`) + "/healthz", given(`The portal:     (\S+)`)} {
		response, err := http.Get(page) //nolint:gosec // the demo serves these pages
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("the answer of %s: got %s, want 200", page, response.Status)
		}
	}
	shell := func(command string) string {
		t.Helper()
		said, err := exec.Command("sh", "-c", command).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, said)
		}
		return string(said)
	}
	if messages := shell(given(`Its database:   (\S+)`) + " -Atc 'SELECT count(*) FROM guestbook_entries'"); messages != "1\n" {
		t.Errorf("messages that psql finds: got %q, want 1", messages)
	}
	if records := shell(given(`(?s)Its records:    (curl .*?/_fake/state)`) + " -fsS"); !strings.Contains(records, `"guestbook"`) {
		t.Errorf("the records: got %s, want the app guestbook in them", records)
	}
	// A change is shown while it is made.
	before := len(d.text())
	change := fmt.Sprintf("%s && %s && sed -i 's/^  env = {/&\\n    NEXT_PUBLIC_CHANGE = 1/' main.tf && %s -auto-approve -no-color",
		given(`To change it:   (\. .*)`), given(`\n +(cd .*)`), given(`\n +(\S+ apply)`))
	if applied := shell(change); !strings.Contains(applied, "1 changed") || strings.Contains(applied, "Warning") {
		t.Errorf("the apply: got\n%s\nwant one change and no warning", applied)
	}
	d.until(t, "the change", func(text string) bool { return strings.Contains(text[before:], "build of guestbook, ") })

	must.Get(d.keyboard.WriteString("\x03"))(t)
	if err := d.command.Wait(); err != nil {
		t.Errorf("the end of the demo: got %v, want no error:\n%s", err, d.end())
	}
	<-d.ended
	if !strings.HasSuffix(d.text(), "All of it is stopped, and nothing of it is left.\r\n") {
		t.Errorf("the end of the output: got %s, want that nothing is left", d.end())
	}
	d.mustBeGone(t)
}
