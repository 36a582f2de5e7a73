package simulation

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A run is one command on its way.
type run struct {
	cli     *cli
	command *command
	only    func(address string) bool // what the command is about
	replace string                    // the address of -replace
	// imports are import blocks, by the addresses that they are for.
	imports map[string]*tfprotov6.ImportResourceStateRequest
	// forgets is the address of a removed block that destroys nothing.
	forgets string
	// isRefreshed tells that the command has refreshed the state before.
	isRefreshed bool

	mu     sync.Mutex
	told   []told
	known  map[string]value  // what references see
	failed map[string]bool   // addresses that went wrong
	gone   map[string]*saved // what reads have left of resources that are gone
	left   map[string]bool   // addresses whose creation made something that is not in the state
}

// told is a diagnostic.
type told struct {
	address, during string
	isError         bool
	text            string // summary and detail
}

// change is what is planned for an address.
type change struct {
	address, kind string
	block         *block // nil where it goes
	do            changeKind
	prior         value
	before        *saved
	config        value
	planned       value
	private       []byte
	identity      *tfprotov6.ResourceIdentityData
}

type changeKind int

const (
	nothing changeKind = iota
	create
	update
	recreate
	remove
)

func (k changeKind) String() string {
	return [...]string{"nothing", "create", "update", "replace", "delete"}[k]
}

func (c *cli) run(cmd *command) *run {
	c.busy = true
	return &run{cli: c, command: cmd, only: func(string) bool { return true }, known: map[string]value{}, failed: map[string]bool{}, gone: map[string]*saved{}, left: map[string]bool{}}
}

// leaves notes that a creation made something that did not come into the state.
func (r *run) leaves(address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left[address] = true
}

func (r *run) hasLeft(address string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left[address]
}

// hear keeps diagnostics, and tells whether one is an error.
func (r *run) hear(address, during string, diagnostics []*tfprotov6.Diagnostic) bool {
	bad := false
	for _, d := range diagnostics {
		t := told{address, during, d.Severity == tfprotov6.DiagnosticSeverityError, d.Summary + "\n" + d.Detail}
		r.cli.world.hear(r, t)
		r.mu.Lock()
		r.told = append(r.told, t)
		r.mu.Unlock()
		bad = bad || t.isError
	}
	return bad
}

func hasError(diagnostics []*tfprotov6.Diagnostic) bool {
	return slices.ContainsFunc(diagnostics, func(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError })
}

func (r *run) errors() []told {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.told), func(t told) bool { return !t.isError })
}

// says tells whether anything that was told holds a text.
func (r *run) says(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.told, func(t told) bool { return strings.Contains(t.text, text) })
}

// toldOf counts what was told of an address.
func (r *run) toldOf(address string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.told {
		if t.address == address {
			n++
		}
	}
	return n
}

// forgetTold drops what was told of an address after the first n.
func (r *run) forgetTold(address string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = slices.DeleteFunc(r.told, func(t told) bool {
		if t.address != address {
			return false
		}
		n--
		return n < 0
	})
}

// saysOf reports whether anything that was told of an address holds a text.
func (r *run) saysOf(address, text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.told, func(t told) bool { return t.address == address && strings.Contains(t.text, text) })
}

func (r *run) fail(address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed[address] = true
}

func (r *run) hasFailed(addresses ...string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(addresses, func(a string) bool { return r.failed[a] })
}

func (r *run) know(address string, v value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[address] = v
}

// resolve is a reference's value: unknown where it is not known yet, null where
// there is nothing of it.
func (r *run) resolve(ref reference, t tftypes.Type) value {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.known[ref.address]
	if !ok || !v.IsKnown() {
		return unknown(t)
	}
	if v.IsNull() {
		return null(t)
	}
	return attributesOf(v)[ref.attribute]
}

// atOnce does something for each address, all at once but for some microseconds,
// and waits for all. Between instances there is more than a request takes: which of
// two that the service cannot tell apart wakes first from a read that they share is
// the scheduler's, and their worlds could hardly be played again. With -parallelism=1
// it does so for one after the other.
func (r *run) atOnce(addresses []string, do func(address string)) {
	var all sync.WaitGroup
	if r.command.flags&oneByOne != 0 {
		for _, address := range addresses {
			do(address)
		}
		if len(addresses) > 1 {
			r.cli.world.countOnce(flagged(oneByOne))
		}
		return
	}
	for i, address := range addresses {
		apart := 7 * time.Microsecond
		if r.kindOf(address) == "hosting_instance" {
			apart = 3 * longestLatency
		}
		all.Go(func() {
			time.Sleep(time.Duration(i)*apart + time.Duration(len(r.cli.name))*time.Microsecond)
			do(address)
		})
	}
	all.Wait()
}

// levels are addresses by level, from the lowest.
func (r *run) levels(addresses []string, kindOf func(string) string) [][]string {
	by := make([][]string, 3)
	for _, address := range addresses {
		if r.only(address) {
			level := levelOf(kindOf(address))
			by[level] = append(by[level], address)
		}
	}
	return by
}

func (r *run) kindOf(address string) string {
	kind, _, _ := strings.Cut(address, ".")
	return kind
}
