package simulation

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider"
	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation/transcript"
)

const (
	baseURL = "https://hosting.test/api/v1"
	apiKey  = "the-key-of-the-simulation"
)

// A process is one run of the provider's program. A CLI starts one for each plan and each
// apply.
type process struct {
	world   *world
	cli     *cli
	number  int
	command *command // the CLI's command
	server  tfprotov6.ProviderServer
	log     processes.Output

	ctx context.Context
	end context.CancelFunc
}

// command is one command of a CLI. A cut affects all of it.
type command struct {
	cut   cut
	flags flags
	key   credential
	began time.Time

	mu       sync.Mutex
	requests int       // those that count for the cut
	stopped  time.Time // when Ctrl-C was pressed
	now      *process  // the running process
	// dead is closed by a kill.
	dead chan struct{}
}

func newCommand(c cut) *command {
	return &command{cut: c, began: time.Now(), dead: make(chan struct{})}
}

func (c *command) killed() bool {
	select {
	case <-c.dead:
		return true
	default:
		return false
	}
}

func (c *command) interrupted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.stopped.IsZero()
}

// start starts the provider's program and configures it.
func (w *world) start(c *cli, cmd *command) *process {
	w.mu.Lock()
	w.processes++
	p := &process{world: w, cli: c, number: w.processes, command: cmd}
	w.running = append(w.running, p)
	w.mu.Unlock()
	p.ctx, p.end = context.WithCancel(tflogtest.RootLogger(context.Background(), &p.log))
	p.server = provider.NewServer("simulation",
		provider.WithTransport(p), provider.WithRandom(rand.NewPCG(w.scenario.Seed, uint64(p.number))), provider.WithUnknowns(&w.unknowns))
	if w.record != nil {
		p.server = transcript.Record(p.server.(transcript.Server), func(call transcript.Call) {
			call.Process = p.number
			w.record(call)
		})
	}
	cmd.mu.Lock()
	cmd.now = p
	cmd.mu.Unlock()
	config := map[string]any{"base_url": baseURL, "api_key": w.keyOf(cmd.key)}
	if c.defaultTags != nil {
		config["default_tags"] = c.defaultTags
	}
	t := schemas().Provider.ValueType()
	configured, err := p.server.ConfigureProvider(p.ctx, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.16.4", Config: dynamic(t, configValue(t, config, nil)),
	})
	if err != nil || hasError(configured.Diagnostics) {
		w.violate(noBug, "the provider cannot be configured: %v %v", err, configured)
	}
	return p
}

// call is a call of the provider.
type call struct {
	cli     *cli
	process *process
	address string
	what    string // such as create
	began   time.Time
	block   *block // the configured block; nil for a deletion
	run     *run   // of an apply; nil otherwise
	// protected reports whether the state protected the object when the call began.
	// protects reports whether the configuration that was last applied did: a late request
	// may arrive after an import.
	protected, protects bool

	mu sync.Mutex
	// posts are the client's results of the call's POSTs of /instances.
	posts []postOutcome
	// ids are the objects that the call's requests have created, known to the client or
	// not.
	ids []string
	// answered reports for each id whether the client received it.
	answered map[string]bool
	// refusedAsExisting reports whether the call was refused because of a conflict with an
	// existing object.
	refusedAsExisting bool
	// sql counts the call's statements, and ran reports whether one was executed.
	sql map[string]int
	ran bool
	// taken counts, by path, the POSTs of actions that the service accepted.
	taken map[string]int
	// jobs are the jobs that the call's requests have started.
	jobs []string
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// The maximum duration of a call: the longest timeout, the queue before it, the search for
// a lost creation and a tolerated outage.
const longestCall = 3 * time.Hour

// longestGrace is the maximum time that a call may continue after Ctrl-C: all detached work
// together has 30 s, which also ends its requests.
const longestGrace = 35 * time.Second

// do calls the provider, and reports whether it answered: a killed process does not.
func do[T any](p *process, c *call, run func(context.Context) (T, error)) (answer T, ok bool) {
	w := p.world
	c.cli, c.process, c.began = p.cli, p, time.Now()
	protected, _ := p.cli.attribute(c.address, "deletion_protection").(bool)
	c.protected, c.protects = protected && !p.cli.get(c.address).tainted, p.cli.protects(c.address)
	c.answered, c.sql, c.taken = map[string]bool{}, map[string]int{}, map[string]int{}
	answers := make(chan T, 1)
	w.calls.Go(func() {
		defer func() {
			if reason := recover(); reason != nil {
				w.violate(noBug, "%s of %s panics: %v\n%s", c.what, c.address, reason, debug.Stack())
				p.command.die()
			}
		}()
		answer, err := run(context.WithValue(p.ctx, callKey{}, c))
		if err != nil {
			w.violate(noBug, "%s of %s: %v", c.what, c.address, err)
		}
		answers <- answer
	})
	select {
	case answer = <-answers:
	case <-p.command.dead:
		return answer, false
	}
	if took := time.Since(c.began); took > longestCall {
		w.violate(bounded, "%s of %s took %s", c.what, c.address, took)
	}
	p.command.mu.Lock()
	stopped := p.command.stopped
	p.command.mu.Unlock()
	if !stopped.IsZero() && time.Since(later(stopped, c.began)) > longestGrace {
		w.violate(bounded, "%s of %s went on for %s after Ctrl-C", c.what, c.address, time.Since(later(stopped, c.began)))
	}
	return answer, true
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (c *command) die() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.killed() {
		close(c.dead)
	}
}

// stop presses Ctrl-C.
func (c *command) stop() {
	c.mu.Lock()
	if !c.stopped.IsZero() {
		c.mu.Unlock()
		return
	}
	c.stopped = time.Now()
	p := c.now
	c.mu.Unlock()
	_, _ = p.server.StopProvider(p.ctx, &tfprotov6.StopProviderRequest{})
}

// RoundTrip carries a request of the process.
func (p *process) RoundTrip(r *http.Request) (*http.Response, error) {
	w := p.world
	// The service may carry the request out after the call, and the context then has no
	// call.
	r = r.WithContext(context.WithValue(r.Context(), callKey{}, callOf(r.Context())))
	line := r.Method + " " + w.normal(r.URL.Path)
	if err := pause(r.Context(), latency(line, p.number, time.Now())); err != nil {
		return nil, err
	}
	cmd := p.command
	cutNow := cmd.cutsAt(r)
	if !w.mayGoOn() {
		cmd.die()
	}
	if cutNow && !cmd.killed() {
		w.count(wasCut(cmd.cut.Kind))
		switch cmd.cut.Kind {
		case interrupt:
			cmd.stop()
		case killBefore:
			cmd.die()
		}
	}
	if cmd.killed() {
		return nil, w.silence(r)
	}
	began := time.Now()
	made, err := gateway.Transport{Handler: w.gateway}.RoundTrip(r.WithContext(context.WithValue(r.Context(), sentKey{}, time.Now())))
	if cutNow && cmd.cut.Kind == killAfter {
		cmd.die()
	}
	if cmd.killed() {
		if made != nil {
			_ = made.Body.Close() // no client reads it
		}
		return nil, w.silence(r)
	}
	if r.Method != http.MethodGet && errors.Is(err, context.Canceled) && cmd.interrupted() && time.Since(began) < shortestGrace {
		w.violate(notInHalf, "%s is cut off by Ctrl-C after %s", line, time.Since(began))
	}
	return w.witness(r, made, err)
}

// shortestGrace is the minimum time for which a mutation in flight must be waited for after
// Ctrl-C.
const shortestGrace = 20 * time.Second

// cutsAt counts a request, and reports whether the command is cut at it.
func (c *command) cutsAt(r *http.Request) bool {
	if c.cut.Writes && r.Method == http.MethodGet {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	return c.requests == c.cut.At
}

type sentKey struct{}

// sentAt returns the time at which a request was sent, which may be long before the service
// sees it.
func sentAt(r *http.Request) time.Time {
	at, _ := r.Context().Value(sentKey{}).(time.Time)
	return at
}

// silence blocks a dead process until the world ends.
func (w *world) silence(r *http.Request) error {
	<-w.over
	return fmt.Errorf("the world has ended: %s", r.URL.Path)
}

// longestLatency is the maximum time that a request takes to the service.
const longestLatency = 30 * time.Millisecond

// latency returns how long a request of a process takes to the service: from 20 to 30 ms,
// so that different requests arrive at different times. It depends on nothing that Go's
// scheduler decides: equal requests that are sent at the same time arrive together.
func latency(line string, process int, sent time.Time) time.Duration {
	h := fnv.New32a()
	_, _ = fmt.Fprint(h, line, process, sent.UnixNano()) // a hash's writer never fails
	return 20*time.Millisecond + time.Duration(h.Sum32()%10_000_000)*time.Nanosecond
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// dynamic encodes a value for the provider.
func dynamic(t tftypes.Type, v value) *tfprotov6.DynamicValue {
	encoded, err := tfprotov6.NewDynamicValue(t, v)
	if err != nil {
		panic(err) // the value has that type
	}
	return &encoded
}

var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	all, err := provider.NewServer("simulation").GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	return all
})
