package simulation

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A run is one command in progress.
type run struct {
	cli     *cli
	command *command
	only    func(address string) bool // selects the addresses of the command
	replace string                    // the address of -replace
	// imports are import blocks, by the addresses that they are for.
	imports map[string]*tfprotov6.ImportResourceStateRequest
	// forgets is the address of a removed block that destroys nothing.
	forgets  string
	planning bool // whether the command plans, and has not begun to apply
	// isRefreshed reports whether the command has already refreshed the state.
	isRefreshed bool

	mu     sync.Mutex
	told   []told
	known  map[string]value  // values of references
	failed map[string]bool   // failed addresses
	gone   map[string]*saved // results of reads that found the resource gone
	left   map[string]bool   // addresses whose creation made an object that is not in the state
}

// told is a diagnostic.
type told struct {
	address, during string
	isError         bool
	text            string // summary and detail
}

// change is the plan for an address.
type change struct {
	address, kind string
	block         *block // nil for a deletion
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

// leaves records that a creation made an object that did not come into the state.
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

// hear records diagnostics, and reports whether one is an error.
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

// says reports whether a diagnostic contains a text.
func (r *run) says(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.told, func(t told) bool { return strings.Contains(t.text, text) })
}

// toldOf counts the diagnostics of an address.
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

// forgetTold drops the diagnostics of an address after the first n.
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

// saysOf reports whether a diagnostic of an address contains a text.
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

// resolve returns a reference's value: unknown if it is not known yet, and null if its
// resource is null.
func (r *run) resolve(ref reference, t tftypes.Type) value {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.known[ref.address]
	hides := r.planning && r.command.flags&unknownIDs != 0 && ref.attribute == "id"
	if hides {
		r.cli.world.countOnce(flagged(unknownIDs))
	}
	if !ok || !v.IsKnown() || hides {
		return unknown(t)
	}
	if v.IsNull() {
		return null(t)
	}
	return attributesOf(v)[ref.attribute]
}

// together is the time between the starts of two calls that run at once. apart is more than
// a request takes. If two calls shared the answer of a request and needed nothing else, Go's
// scheduler would decide which of them is first, and the world could hardly be replayed.
const (
	together = 7 * time.Microsecond
	apart    = 3 * longestLatency
)

// atOnce calls a function for each address concurrently and waits for all calls. They start
// one after the other, with the given time between them. Instances always start apart,
// because the service cannot distinguish some of them. With -parallelism=1 the calls run one after
// the other.
func (r *run) atOnce(between time.Duration, addresses []string, do func(address string)) {
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
		wait := time.Duration(i) * between
		if r.kindOf(address) == "hosting_instance" {
			wait = time.Duration(i) * apart
		}
		all.Go(func() {
			time.Sleep(wait + time.Duration(len(r.cli.name))*time.Microsecond)
			do(address)
		})
	}
	all.Wait()
}

// levels groups addresses by level, from the lowest.
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
