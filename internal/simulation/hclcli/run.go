package hclcli

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Options configures a CLI.
type Options struct {
	// Start starts the provider's program.
	Start func() (context.Context, tfprotov6.ProviderServer)
	// Provider are the arguments of provider blocks that do not set them themselves.
	Provider map[string]string
	// Violation is called when the provider breaks a rule of Terraform.
	Violation func(format string, arguments ...any)
}

// A CLI has a state, and runs commands on it.
type CLI struct {
	Options

	mu        sync.Mutex
	state     map[string]*object
	outputs   map[string]cty.Value
	functions map[string]function.Function
}

// New returns a CLI with an empty state.
func New(o Options) *CLI {
	return &CLI{Options: o, state: map[string]*object{}, outputs: map[string]cty.Value{}}
}

// A Diagnostic is an error or a warning.
type Diagnostic struct {
	Severity        string // error or warning
	Summary, Detail string
	Address         string
	Attribute       string // the path, such as engines["postgres"].memory_mb
}

// A Result is the outcome of a command.
type Result struct {
	// Exit is the exit code, as with -detailed-exitcode for plans.
	Exit        int
	Diagnostics []Diagnostic
	// Changes are the planned actions by address: create, update, replace, delete, read or
	// import. Outputs that change are there as output.x.
	Changes map[string]string
}

// run is one command.
type run struct {
	cli        *CLI
	config     *config
	flags      flags
	ctx        context.Context
	servers    map[string]tfprotov6.ProviderServer // by alias
	validating bool

	mu          sync.Mutex
	keys        map[string][]string  // of the objects of each block that was visited
	values      map[string]cty.Value // by address
	changes     map[string]*change
	refreshed   map[string]*object
	gone        map[string]*object
	diagnostics []Diagnostic
}

type flags struct {
	destroy, refreshOnly, noRefresh bool
	targets                         []string
	replace                         []string
}

// Run runs a command with its arguments: plan, apply, destroy, import, taint, untaint and
// "state rm".
func (c *CLI) Run(source string, arguments ...string) Result {
	parsed, err := parse(source)
	if err != nil {
		return Result{Exit: 1, Diagnostics: []Diagnostic{{Severity: "error", Summary: err.Error()}}}
	}
	var f flags
	var rest []string
	for _, argument := range arguments[1:] {
		name, value, _ := strings.Cut(argument, "=")
		switch name {
		case "-destroy":
			f.destroy = true
		case "-refresh-only":
			f.refreshOnly = true
		case "-refresh":
			f.noRefresh = value == "false"
		case "-target":
			f.targets = append(f.targets, value)
		case "-replace":
			f.replace = append(f.replace, value)
		default:
			rest = append(rest, argument)
		}
	}
	begin := func() *run {
		r := &run{cli: c, config: parsed, flags: f}
		r.reset()
		return r
	}
	switch arguments[0] {
	case "taint", "untaint":
		c.state[rest[0]].tainted = arguments[0] == "taint"
		return Result{}
	case "state": // rm
		delete(c.state, rest[1])
		return Result{}
	case "import":
		r := begin()
		r.start()
		r.importNow(rest[0], rest[1])
		return r.result()
	case "destroy":
		f.destroy = true
	}
	validation := begin()
	validation.validating = true
	validation.start()
	if validation.validate(); validation.failed() {
		return validation.result()
	}
	planned := begin()
	planned.start()
	planned.plan()
	outcome := planned.result()
	if arguments[0] == "plan" || outcome.Exit == 1 {
		return outcome
	}
	c.save(planned.refreshed)
	applied := begin()
	applied.start()
	applied.apply(planned)
	ended := applied.result()
	ended.Changes = outcome.Changes
	ended.Diagnostics = append(outcome.Diagnostics, ended.Diagnostics...)
	if ended.Exit == 2 {
		ended.Exit = 0
	}
	return ended
}

func (r *run) reset() {
	r.keys, r.values, r.changes = map[string][]string{}, map[string]cty.Value{}, map[string]*change{}
	r.refreshed, r.gone = map[string]*object{}, map[string]*object{}
}

// start starts a provider's process for each provider block, and configures it.
func (r *run) start() {
	r.servers = map[string]tfprotov6.ProviderServer{}
	s := made(schemas().Provider)
	for alias, arguments := range r.config.providers {
		ctx, server := r.cli.Start()
		r.ctx, r.servers[alias] = ctx, server
		r.cli.addFunctions(ctx, server)
		if r.validating {
			continue
		}
		address := "provider.hosting"
		v, ok := r.argumentsOf(address, s, arguments, nil)
		if !ok {
			continue
		}
		members := v.AsValueMap()
		for name, value := range r.cli.Provider {
			if _, set := arguments[name]; !set {
				members[name] = cty.StringVal(value)
			}
		}
		encoded := dynamic(cty.ObjectVal(members), s.value)
		valid, err := server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: encoded})
		if r.bad(address, err, valid.Diagnostics) {
			continue
		}
		configured, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.16.4", Config: encoded})
		r.bad(address, err, configured.Diagnostics)
	}
}

func (r *run) hear(d Diagnostic) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.diagnostics, d) {
		r.diagnostics = append(r.diagnostics, d)
	}
}

// bad records diagnostics of the provider, and reports whether one is an error.
func (r *run) bad(address string, err error, all []*tfprotov6.Diagnostic) bool {
	wrong := err != nil
	if wrong {
		r.cli.Violation("%s: %v", address, err)
	}
	for _, d := range all {
		severity := "warning"
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			severity, wrong = "error", true
		}
		r.hear(Diagnostic{severity, d.Summary, d.Detail, address, pathText(d.Attribute)})
	}
	return wrong
}

func (r *run) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.diagnostics, func(d Diagnostic) bool { return d.Severity == "error" })
}

func (r *run) result() Result {
	made := Result{Changes: map[string]string{}, Diagnostics: r.diagnostics}
	for address, c := range r.changes {
		if c.action != nothing {
			made.Changes[address] = c.action
			made.Exit = 2
		}
	}
	if r.flags.refreshOnly {
		for address, now := range r.refreshed {
			if before := r.cli.object(address); !before.equals(now) {
				made.Changes[address], made.Exit = update, 2
			}
		}
	}
	if r.failed() {
		made.Exit = 1
	}
	return made
}

// equals reports whether a refresh has changed nothing in the state.
func (o *object) equals(now *object) bool {
	if o == nil || now == nil {
		return o == now
	}
	return o.value.RawEquals(now.value) && bytes.Equal(o.private, now.private) && reflect.DeepEqual(o.identity, now.identity)
}

// walk visits each node after those that it needs, and all others at the same time. A node
// is left out if one that it needs was left out or failed.
func walk(needs map[string][]string, visit func(string) bool) {
	type state struct {
		done chan struct{}
		good bool
	}
	nodes := map[string]*state{}
	for name := range needs {
		nodes[name] = &state{done: make(chan struct{})}
	}
	var all sync.WaitGroup
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		all.Go(func() {
			defer close(nodes[name].done)
			for _, other := range needs[name] {
				if n := nodes[other]; n != nil && other != name {
					<-n.done
					if !n.good {
						return
					}
				}
			}
			nodes[name].good = visit(name)
		})
	}
	all.Wait()
}

// State returns the addresses in the state, sorted.
func (c *CLI) State() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	addresses := slices.Collect(maps.Keys(c.state))
	sort.Strings(addresses)
	return addresses
}

// Tainted reports whether an object in the state is tainted.
func (c *CLI) Tainted(address string) bool {
	o := c.object(address)
	return o != nil && o.tainted
}

func (c *CLI) object(address string) *object {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state[address]
}

func (c *CLI) save(all map[string]*object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for address, o := range all {
		if o == nil {
			delete(c.state, address)
		} else {
			c.state[address] = o
		}
	}
}

// String returns the diagnostic as a CLI prints it.
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s: %s [%s %s]: %s", d.Severity, d.Summary, d.Address, d.Attribute, d.Detail)
}
