package reports

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider"
	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation/hclcli"
)

var (
	realCLI = flag.String("reports.cli", "", "the path of a Terraform or OpenTofu to run the situations on, in place of a simulated one")
	table   = flag.Bool("reports.table", false, "print a line for each situation")
)

const apiKey = "the-key-of-the-reports"

// A commander is a CLI with a state.
type commander interface {
	Run(hcl string, arguments ...string) hclcli.Result
	State() []string
	Tainted(address string) bool
	Attribute(address string, path ...string) any
	Output(name string) any
	Text() string // the state as text
}

// A world is one situation: a service, and a CLI that applies plain HCL on it.
type world struct {
	*service
	t       *testing.T
	cli     commander
	logs    func() string
	secrets []string
}

// situations are the variants of a report, by name.
type situations map[string]func(*world)

// report plays the situations of a report. source is owner/repo#number.
func report(t *testing.T, source, kind string, all situations) {
	t.Helper()
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			defer func() { note(source, kind+": "+name, t.Failed()) }()
			if *realCLI != "" {
				w := newRealWorld(t)
				all[name](w)
				w.checkSecrets()
				return
			}
			hclcli.WarmUp()
			warmUp()
			synctest.Test(t, func(t *testing.T) {
				w, end := newSimulatedWorld(t)
				defer end()
				all[name](w)
				w.checkSecrets()
			})
		})
	}
}

// warmUp does the work of the fake that is done once in a process, outside of a bubble.
var warmUp = sync.OnceFunc(func() { _ = fakeservice.New(fakeservice.Options{}).Close() })

func newSimulatedWorld(t *testing.T) (w *world, end func()) {
	fake := fakeservice.New(fakeservice.Options{APIKey: apiKey, Querier: fakeservice.QuerierFunc(queries)})
	w = &world{t: t, service: &service{fake: fake}}
	var log processes.Output
	var unknowns atomic.Int64
	var ends []context.CancelFunc
	start := func() (context.Context, tfprotov6.ProviderServer) {
		ctx, cancel := context.WithCancel(tflogtest.RootLogger(context.Background(), &log))
		ends = append(ends, cancel)
		return ctx, provider.NewServer("reports", provider.WithTransport(gateway.Transport{Handler: w.service}),
			provider.WithRandom(rand.NewPCG(1, uint64(len(ends)))), provider.WithUnknowns(&unknowns))
	}
	w.cli = hclcli.New(hclcli.Options{
		Start: start, Violation: t.Errorf,
		Provider: map[string]string{"base_url": "https://hosting.test" + prefix, "api_key": apiKey},
	})
	w.logs = log.String
	return w, func() {
		for _, stop := range ends {
			stop()
		}
		time.Sleep(25 * time.Hour) // the rest of the work ends by its own clock, a pause after a day
		_ = fake.Close()           // it has no data plane
		if n := unknowns.Load(); n > 0 {
			t.Errorf("the provider kept %d unknown values out of the state", n)
		}
	}
}

// queries answers SQL like a database without tables.
func queries(context.Context, fakeservice.Query) (fakeservice.QueryResult, error) {
	return fakeservice.QueryResult{Command: "OK"}, nil
}

// secret declares a text that must not occur in any output or log.
func (w *world) secret(text string) string {
	w.secrets = append(w.secrets, text)
	return text
}

func (w *world) checkSecrets() {
	w.t.Helper()
	for _, secret := range w.secrets {
		if log := w.logs(); strings.Contains(log, secret) {
			w.t.Errorf("the log contains %q", secret)
		}
	}
}

// An outcome is the result of a command.
type outcome struct {
	hclcli.Result
	world *world
	what  string
	// shown is whether the diagnostics are in the log of the test already.
	shown *bool
}

// wrong fails the test, and shows the diagnostics once.
func (o outcome) wrong(format string, arguments ...any) {
	o.world.t.Helper()
	o.world.t.Errorf(o.what+": "+format, arguments...)
	if !*o.shown && len(o.Diagnostics) > 0 {
		*o.shown = true
		o.world.t.Log(o.text())
	}
}

// run runs a command.
func (w *world) run(hcl string, arguments ...string) outcome {
	w.t.Helper()
	o := outcome{w.cli.Run(hcl, arguments...), w, strings.Join(arguments, " "), new(bool)}
	for _, secret := range w.secrets {
		if strings.Contains(o.text(), secret) {
			o.wrong("got %q in the output", secret)
		}
	}
	return o
}

// apply runs an apply that must succeed.
func (w *world) apply(hcl string) outcome {
	w.t.Helper()
	return w.run(hcl, "apply").succeeds()
}

// settled checks that the next plan is empty.
func (w *world) settled(hcl string) outcome {
	w.t.Helper()
	return w.run(hcl, "plan").changes(nil)
}

// quiet checks that the next plan is empty and says nothing.
func (w *world) quiet(hcl string) {
	w.t.Helper()
	if o := w.settled(hcl); len(o.Diagnostics) > 0 {
		o.wrong("got diagnostics, want none")
	}
}

func (o outcome) text() string {
	var lines []string
	for _, d := range o.Diagnostics {
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}

func (o outcome) succeeds() outcome {
	o.world.t.Helper()
	if o.Exit == 1 {
		o.world.t.Fatalf("%s: got exit 1, want success:\n%s", o.what, o.text())
	}
	return o
}

// changes checks the planned changes.
func (o outcome) changes(want map[string]string) outcome {
	o.world.t.Helper()
	o.succeeds()
	if !maps.Equal(o.Changes, want) {
		o.wrong("got the changes %v, want %v", o.Changes, want)
	} else if len(want) == 0 && o.Exit != 0 {
		o.wrong("got exit %d without any change, want 0", o.Exit)
	}
	return o
}

// never checks that an action is planned for no address.
func (o outcome) never(actions ...string) outcome {
	o.world.t.Helper()
	for address, action := range o.Changes {
		if slices.Contains(actions, action) {
			o.wrong("got %s of %s, want none", action, address)
		}
	}
	return o
}

// fails checks that the command ends with an error that contains all texts.
func (o outcome) fails(texts ...string) outcome {
	o.world.t.Helper()
	if o.Exit != 1 {
		o.wrong("got exit %d, want an error", o.Exit)
		return o
	}
	return o.has("error", texts)
}

// failsOn is like fails for an error of an argument. A real CLI shows a line of the
// configuration and not the argument's path, so only the simulated one is checked for it.
func (o outcome) failsOn(attribute string, texts ...string) outcome {
	o.world.t.Helper()
	o.fails(texts...)
	for _, d := range o.Diagnostics {
		if d.Severity == "error" && (*realCLI != "" || strings.Contains(d.Attribute, attribute)) {
			return o
		}
	}
	o.wrong("got no error of %s", attribute)
	return o
}

// outputs checks an output.
func (w *world) outputs(name string, want any) {
	w.t.Helper()
	if got := w.cli.Output(name); fmt.Sprint(got) != fmt.Sprint(want) { // a real CLI keeps types, and the simulated one does not
		w.t.Errorf("the output %s: got %v, want %v", name, got, want)
	}
}

// warns checks that a warning contains all texts.
func (o outcome) warns(texts ...string) outcome {
	o.world.t.Helper()
	return o.has("warning", texts)
}

// says checks that an error or a warning contains all texts.
func (o outcome) says(texts ...string) outcome {
	o.world.t.Helper()
	return o.has("", texts)
}

func (o outcome) has(severity string, texts []string) outcome {
	o.world.t.Helper()
	for _, d := range o.Diagnostics {
		if severity != "" && d.Severity != severity {
			continue
		}
		all := true
		for _, text := range texts {
			all = all && strings.Contains(strings.ToLower(d.Summary+" "+d.Detail), strings.ToLower(text))
		}
		if all {
			return o
		}
	}
	o.wrong("got no %s that contains %q", cmp.Or(severity, "diagnostic"), texts)
	return o
}

// lacks checks that no diagnostic contains any of the texts.
func (o outcome) lacks(texts ...string) outcome {
	o.world.t.Helper()
	for _, text := range texts {
		if strings.Contains(strings.ToLower(o.text()), strings.ToLower(text)) {
			o.wrong("got %q in the output, want it without", text)
		}
	}
	return o
}

// counts checks how many requests were sent since the beginning.
func (w *world) counts(want int, method, path string) {
	w.t.Helper()
	if got := len(w.asked(method, path)); got != want {
		w.t.Errorf("%s %s: got %d requests, want %d", method, path, got, want)
	}
}

// manages checks that addresses are in the state, and not tainted.
func (w *world) manages(addresses ...string) {
	w.t.Helper()
	for _, address := range addresses {
		if !slices.Contains(w.cli.State(), address) {
			w.t.Errorf("%s is not in the state: %v", address, w.cli.State())
		} else if w.cli.Tainted(address) {
			w.t.Errorf("%s is tainted", address)
		}
	}
}

// holds checks an attribute in the state.
func (w *world) holds(want any, address string, path ...string) {
	w.t.Helper()
	if got := w.cli.Attribute(address, path...); fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("%s of %s: got %v, want %v", strings.Join(path, "."), address, got, want)
	}
}

// id returns the id of the only instance of the service.
func (w *world) id() string {
	w.t.Helper()
	all := w.fake.Instances()
	if len(all) != 1 {
		w.t.Fatalf("instances at the service: got %d, want 1", len(all))
	}
	return all[0].ID
}

// be fails unless a condition of the service's records is true.
func (w *world) be(condition bool, format string, arguments ...any) {
	w.t.Helper()
	if !condition {
		w.t.Errorf(format, arguments...)
	}
}

// results are the lines of the table.
var results struct {
	mu    sync.Mutex
	lines []string
}

func note(source, kind string, failed bool) {
	results.mu.Lock()
	defer results.mu.Unlock()
	result := "ok"
	if failed {
		result = "FAILED"
	}
	results.lines = append(results.lines, fmt.Sprintf("%-55s %-90s %s", source, kind, result))
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if *table {
		slices.Sort(results.lines)
		fmt.Println(strings.Join(results.lines, "\n"))
	}
	endRealWorlds()
	os.Exit(code)
}
