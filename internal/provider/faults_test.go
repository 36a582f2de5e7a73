package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A faultRow is a fault that the fake injects, and what the provider makes of
// it. Its test says what was counted.
type faultRow struct {
	number int
	name   string
	test   func(*testing.T) string
}

// failed is what a row's line says until its test has come to its end.
const failed = "FAILED"

// TestFaults runs the fault table and prints a line per row. `make faults` runs
// it alone.
func TestFaults(t *testing.T) {
	needsCLI(t)
	rows := slices.Concat(creationFaults, interruptionFaults, jobFaults, readFaults, writeFaults, transportFaults)
	slices.SortStableFunc(rows, func(a, b faultRow) int { return a.number - b.number })
	var mu sync.Mutex
	counted := map[int]string{}
	t.Run("row", func(t *testing.T) {
		for _, row := range rows {
			t.Run(fmt.Sprintf("%02d", row.number), func(t *testing.T) {
				t.Parallel()
				note := func(text string) {
					mu.Lock()
					defer mu.Unlock()
					counted[row.number] = text
				}
				note(failed)
				note(row.test(t))
			})
		}
	})
	held := 0
	for _, row := range rows {
		if text := counted[row.number]; text != "" {
			fmt.Printf("%2d  %-58s %s\n", row.number, row.name, text)
			if text != failed {
				held++
			}
		}
	}
	fmt.Printf("%d of %d rows hold\n", held, len(counted))
}

// must ends a row's test when what it counted is not as it should be.
func must(t *testing.T, holds bool, format string, args ...any) {
	t.Helper()
	if !holds {
		t.Fatalf(format, args...)
	}
}

// fails runs an apply that must end with an error that says so.
func (w *workspace) fails(texts ...string) result {
	w.t.Helper()
	r := w.run("apply", "-auto-approve", "-no-color")
	must(w.t, r.exit == 1, "apply ended with exit %d:\n%s", r.exit, r.output)
	for _, text := range texts {
		must(w.t, strings.Contains(r.output, text), "apply does not say %q:\n%s", text, r.output)
	}
	return r
}

// counts counts requests, for a row's line.
func counts(fake *fakeservicetest.Server, requests ...string) string {
	var all []string
	for _, request := range requests {
		method, path, _ := strings.Cut(request, " ")
		all = append(all, fmt.Sprintf("%d %s", fake.Count(method, path), request))
	}
	return strings.Join(all, ", ")
}

const plainInstance = `engines = { postgres = {} }`

const appArguments = "name = \"guestbook\"\nrepo = \"octo/guestbook\"\n"

// seededApps is a fake with an instance i-one that carries everything, so that a
// row about something on it need not create it.
func seededApps(t *testing.T) *fakeservicetest.Server {
	t.Helper()
	fake := startFake(t)
	fake.AddInstance(fakeservice.Instance{ID: "i-one", Name: "one", Plan: "medium", Region: "eu-central",
		Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}, "apps": {MemoryMB: 1024}, "auth": {MemoryMB: 256}},
		Backups: []fakeservice.Backup{{ID: "bak-1", Kind: "daily"}}})
	return fake
}
