package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// A faultRow is a fault that the fake injects, with the provider's reaction. Its test
// returns the counted results.
type faultRow struct {
	number int
	name   string
	test   func(*testing.T) string
}

// Results of a row whose test did not complete.
const (
	failed  = "FAILED"
	skipped = "skipped by version"
)

// rowsAtOnce is the number of rows that run in parallel. A row spends most of its time
// waiting: for a grace period, for reads that lag, or for 20 seconds of a gateway's
// fault. So this number exceeds -parallel, which is for tests that keep a core busy.
const rowsAtOnce = 12

// TestFaults runs the fault table and prints a line per row. `make faults` runs only this
// test.
func TestFaults(t *testing.T) {
	t.Parallel()
	needsCLI(t)
	rows := slices.Concat(creationFaults, interruptionFaults, jobFaults, readFaults, transportFaults,
		gatewayFaults, absenceFaults, paceFaults, networkFaults, addressFaults)
	slices.SortStableFunc(rows, func(a, b faultRow) int { return b.number - a.number })
	counted := make([]string, len(rows))
	places := make(chan struct{}, rowsAtOnce)
	var all sync.WaitGroup
	for i, row := range rows { // the last rows wait longest, so they start first
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			t.Run(fmt.Sprintf("%02d", row.number), func(t *testing.T) {
				counted[i] = failed
				defer func() {
					if t.Skipped() {
						counted[i] = skipped
					}
				}()
				counted[i] = row.test(t)
			})
		})
	}
	all.Wait()
	held, ran := 0, 0
	for i, row := range slices.Backward(rows) {
		if counted[i] == "" {
			continue // excluded by -run
		}
		fmt.Printf("%2d  %-58s %s\n", row.number, row.name, counted[i])
		if ran++; counted[i] != failed {
			held++
		}
	}
	fmt.Printf("%d of %d rows hold\n", held, ran)
}

// atOnce runs the cases of a row in parallel, each as a separate test.
func atOnce(t *testing.T, cases map[string]func(*testing.T)) {
	t.Helper()
	var all sync.WaitGroup
	for name, test := range cases {
		all.Go(func() { t.Run(name, test) })
	}
	all.Wait()
	must(t, !t.Failed(), "not every case holds")
}

// must ends a test with a message unless a condition is true.
func must(t *testing.T, holds bool, format string, args ...any) {
	t.Helper()
	if !holds {
		t.Fatalf(format, args...)
	}
}

// fails runs an apply that must end with an error that contains the texts.
func (w *workspace) fails(texts ...string) result {
	w.t.Helper()
	r := w.run("apply", "-auto-approve", "-no-color")
	must(w.t, r.exit == 1, "apply ended with exit %d:\n%s", r.exit, r.output)
	for _, text := range texts {
		must(w.t, strings.Contains(r.output, text), "apply does not say %q:\n%s", text, r.output)
	}
	return r
}

// counts returns the number of each request, for a row's line.
func counts(fake *fakeservicetest.Server, requests ...string) string {
	var all []string
	for _, request := range requests {
		method, path, _ := strings.Cut(request, " ")
		all = append(all, fmt.Sprintf("%d %s", fake.Count(method, path), request))
	}
	return strings.Join(all, ", ")
}

// conflicts counts the requests that the fake answered with 409.
func conflicts(fake *fakeservicetest.Server) int {
	n := 0
	for _, request := range fake.Requests() {
		if request.Status == http.StatusConflict {
			n++
		}
	}
	return n
}

// wellAnswered counts requests that the service has answered and whose answer reached the
// client unchanged.
func wellAnswered(fake *fakeservicetest.Server, method, path string) int {
	n := 0
	for _, request := range fake.Requests() {
		if request.Method == method && gateway.MatchPath(path, request.Path) && request.Served > 0 && request.Status == request.Served && !request.Fault {
			n++
		}
	}
	return n
}

const plainInstance = `engines = { postgres = {} }`

const appArguments = "name = \"guestbook\"\nrepo = \"octo/guestbook\"\n"

// seededApps returns a fake with an instance i-one that has all necessary engines, so
// that a row need not create it.
func seededApps(t *testing.T) *fakeservicetest.Server {
	t.Helper()
	fake := startFake(t)
	fake.AddInstance(fakeservice.Instance{ID: "i-one", Name: "one", Plan: "medium", Region: "eu-central",
		Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}, "apps": {MemoryMB: 1024}, "auth": {MemoryMB: 256}},
		Backups: []fakeservice.Backup{{ID: "bak-1", Kind: "undo"}}})
	return fake
}

// oneApp returns the app on the seeded instance, with additional arguments.
func oneApp(arguments string) string {
	return "resource \"hosting_app\" \"test\" {\n instance_id = \"i-one\"\n" + appArguments + arguments + "\n}\n"
}
