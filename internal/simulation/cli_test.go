package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A cli is Terraform, with one configuration and one state, as far as a provider
// can tell.
type cli struct {
	world *world
	name  string
	// noIdentity makes it one that keeps no identities, as those before 1.12.
	noIdentity bool
	// blocks is its configuration.
	blocks func() []block

	mu    sync.Mutex
	state map[string]*saved
	// asked is what its configuration has ever asked for, by address.
	asked map[string]map[string]bool
	// lost are its creations of which nothing came into its state.
	lost []*call
	// released are what was taken out of its state by hand, and taken what was
	// taken into it.
	released, taken map[string]bool
	// busy says that it was told to do something at all.
	busy bool
}

// saved is a resource in the state.
type saved struct {
	kind     string
	json     []byte
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	tainted  bool
}

// orphan is what a creation has made of which nothing came into the state.
type orphan struct{ address, id string }

func newCLI(w *world, name string, blocks func() []block) *cli {
	return &cli{world: w, name: name, blocks: blocks, state: map[string]*saved{}, asked: map[string]map[string]bool{}, released: map[string]bool{}, taken: map[string]bool{}}
}

func schemaOf(kind string) *tfprotov6.Schema { return schemas().ResourceSchemas[kind] }
func typeOf(kind string) tftypes.Type        { return schemaOf(kind).ValueType() }

func (c *cli) get(address string) *saved {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state[address]
}

// save keeps a resource, or takes it out where there is nothing of it. A CLI that
// is dead keeps nothing.
func (c *cli) save(cmd *command, address string, s *saved) {
	if cmd.killed() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s == nil {
		delete(c.state, address)
		return
	}
	if c.noIdentity {
		s.identity = nil
	}
	c.state[address] = s
}

// addresses are those in the state, in order.
func (c *cli) addresses() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return sortedNames(c.state)
}

// attribute is an attribute of a resource in the state, nil where there is none.
func (c *cli) attribute(address string, path ...string) any {
	s := c.get(address)
	if s == nil {
		return nil
	}
	var v any
	_ = json.Unmarshal(s.json, &v) // it was encoded here
	for _, name := range path {
		members, _ := v.(map[string]any)
		v = members[name]
	}
	return v
}

func (c *cli) text(address string, path ...string) string {
	text, _ := c.attribute(address, path...).(string)
	return text
}

// levelOf is the level of a resource whose block may have gone.
func levelOf(kind string) int {
	switch kind {
	case "hosting_instance":
		return 0
	case "hosting_postgres_extension", "hosting_postgres_script":
		return 2
	}
	return 1
}

// A run is one command on its way.
type run struct {
	cli     *cli
	command *command
	only    func(address string) bool // what the command is about
	replace string                    // the address of -replace

	mu     sync.Mutex
	told   []told
	known  map[string]value // what references see
	failed map[string]bool  // addresses that went wrong
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
	return &run{cli: c, command: cmd, only: func(string) bool { return true }, known: map[string]value{}, failed: map[string]bool{}}
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
// and waits for all.
func (r *run) atOnce(addresses []string, do func(address string)) {
	var all sync.WaitGroup
	for i, address := range addresses {
		all.Go(func() {
			time.Sleep(time.Duration(i)*7*time.Microsecond + time.Duration(len(r.cli.name))*time.Microsecond)
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

// upgrade reads a state as the provider does.
func (r *run) upgrade(p *process, address string, s *saved) (value, bool) {
	answer, ok := do(p, &call{address: address, what: "upgrade"}, func(ctx context.Context) (*tfprotov6.UpgradeResourceStateResponse, error) {
		return p.server.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{
			TypeName: s.kind, Version: schemaOf(s.kind).Version, RawState: &tfprotov6.RawState{JSON: s.json},
		})
	})
	if !ok || answer == nil || r.hear(address, "upgrade", answer.Diagnostics) {
		return null(typeOf(s.kind)), false
	}
	return r.decode(s.kind, answer.UpgradedState), true
}

func (r *run) decode(kind string, encoded *tfprotov6.DynamicValue) value {
	if encoded == nil {
		return null(typeOf(kind))
	}
	v, err := encoded.Unmarshal(typeOf(kind))
	if err != nil {
		r.cli.world.violate(noBug, "a %s cannot be decoded: %v", kind, err)
		return null(typeOf(kind))
	}
	return v
}

// read refreshes a resource. It returns nil where it has gone.
func (r *run) read(p *process, address string, s *saved) (*saved, value, bool) {
	none := null(typeOf(s.kind))
	prior, ok := r.upgrade(p, address, s)
	if !ok {
		return s, none, false
	}
	c := &call{address: address, what: "read"}
	answer, ok := do(p, c, func(ctx context.Context) (*tfprotov6.ReadResourceResponse, error) {
		return p.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
			TypeName: s.kind, CurrentState: dynamic(typeOf(s.kind), prior), Private: s.private, CurrentIdentity: s.identity,
		})
	})
	if !ok || answer == nil || r.hear(address, "read", answer.Diagnostics) {
		return s, none, false
	}
	v := r.decode(s.kind, answer.NewState)
	if v.IsNull() {
		r.cli.world.removedByRead(c, s.kind, prior)
		return nil, none, true
	}
	return &saved{s.kind, encode(v), answer.Private, answer.NewIdentity, s.tainted}, v, true
}

// plan refreshes the state and plans. It tells whether the plan can be applied.
func (r *run) plan(p *process) (changes map[string]*change, ok bool) {
	blocks := byAddress(r.cli.blocks())
	changes = map[string]*change{}
	all := slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, names := range [][]string{sortedNames(blocks), r.cli.addresses()} {
			for _, name := range names {
				if !yield(name) {
					return
				}
			}
		}
	}))
	refreshed := map[string]*saved{}
	var mu sync.Mutex
	for _, level := range r.levels(all, r.kindOf) {
		r.atOnce(level, func(address string) {
			if r.command.interrupted() || r.command.killed() {
				return
			}
			var v value
			now := r.cli.get(address)
			if now != nil {
				var ok bool
				if now, v, ok = r.read(p, address, now); !ok {
					r.fail(address)
					return
				}
			}
			mu.Lock()
			refreshed[address] = now
			mu.Unlock()
			var b *block
			if configured, ok := blocks[address]; ok {
				b = &configured
			}
			if b == nil && now == nil {
				return
			}
			made, ok := r.planOne(p, address, b, now, v)
			if !ok {
				r.fail(address)
				return
			}
			mu.Lock()
			changes[address] = made
			mu.Unlock()
		})
	}
	if r.command.interrupted() || r.command.killed() || len(r.failed) > 0 {
		return changes, false
	}
	for address, s := range refreshed {
		r.cli.save(r.command, address, s)
	}
	return changes, true
}

// planOne plans what is to become of one resource.
func (r *run) planOne(p *process, address string, b *block, now *saved, prior value) (*change, bool) {
	kind := r.kindOf(address)
	t := typeOf(kind)
	made := &change{address: address, kind: kind, block: b, before: now, prior: prior}
	if now == nil {
		made.prior = null(t)
	} else {
		made.private, made.identity = now.private, now.identity
	}
	if b == nil {
		made.do, made.config, made.planned = remove, null(t), null(t)
		_, ok := r.askForPlan(p, made, "plan", made.prior)
		return made, ok
	}
	made.config = configValue(t, b.arguments, r.resolve)
	validated, ok := do(p, &call{address: address, what: "validate"}, func(ctx context.Context) (*tfprotov6.ValidateResourceConfigResponse, error) {
		return p.server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
			TypeName: kind, Config: dynamic(t, made.config),
			ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
		})
	})
	if !ok || r.hear(address, "validate", validated.Diagnostics) {
		return nil, false
	}
	from := made.prior
	if now != nil && now.tainted {
		from, made.private, made.identity = null(t), nil, nil
	}
	replaces, ok := r.askForPlan(p, made, "plan", from)
	if !ok {
		return nil, false
	}
	switch {
	case now == nil:
		made.do = create
	case now.tainted:
		made.do = recreate
	case replaces || r.replace == address:
		made.do, made.private, made.identity = recreate, nil, nil
		if _, ok := r.askForPlan(p, made, "plan of the new one", null(t)); !ok {
			return nil, false
		}
	case made.planned.Equal(prior):
		made.do = nothing
	default:
		made.do = update
	}
	if wrong := misplanned(schemaOf(kind).Block.Attributes, attributesOf(made.config), attributesOf(made.planned)); wrong != "" {
		r.cli.world.violate(promised, "the plan of %s is none of its configuration: %s", address, wrong)
	}
	r.know(address, made.planned)
	return made, true
}

// askForPlan asks the provider for the plan of a change from a prior state, and
// tells whether the resource must be replaced for it.
func (r *run) askForPlan(p *process, made *change, during string, from value) (replaces, ok bool) {
	t := typeOf(made.kind)
	wanted := null(t)
	if made.block != nil {
		wanted = tftypes.NewValue(t, proposed(schemaOf(made.kind).Block.Attributes, attributesOf(from), attributesOf(made.config)))
	}
	c := &call{address: made.address, what: during, block: made.block}
	answer, ok := do(p, c, func(ctx context.Context) (*tfprotov6.PlanResourceChangeResponse, error) {
		return p.server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
			TypeName: made.kind, PriorState: dynamic(t, from), ProposedNewState: dynamic(t, wanted), Config: dynamic(t, made.config),
			PriorPrivate: made.private, PriorIdentity: made.identity,
		})
	})
	if !ok || answer == nil || r.hear(made.address, during, answer.Diagnostics) {
		return false, false
	}
	made.planned, made.private, made.identity = r.decode(made.kind, answer.PlannedState), answer.PlannedPrivate, answer.PlannedIdentity
	for _, path := range answer.RequiresReplace {
		before, _, _ := tftypes.WalkAttributePath(from, path)
		after, _, _ := tftypes.WalkAttributePath(made.planned, path)
		was, wasValue := before.(value)
		is, isValue := after.(value)
		replaces = replaces || !wasValue || !isValue || !was.Equal(is)
	}
	return replaces, true
}

// apply carries a plan out: what goes first, then what is made and changed.
func (r *run) apply(p *process, changes map[string]*change) {
	r.known = map[string]value{}
	byLevel := r.levels(sortedNames(changes), r.kindOf)
	for _, level := range slices.Backward(byLevel) {
		r.atOnce(level, func(address string) {
			made := changes[address]
			if made.do != remove && made.do != recreate || r.command.interrupted() || r.command.killed() {
				return
			}
			for _, other := range changes {
				// What stands on it must have gone.
				if levelOf(other.kind) > levelOf(made.kind) && (other.do == remove || other.do == recreate) && r.hasFailed(other.address) {
					r.fail(address)
					return
				}
			}
			if !r.applyOne(p, made, null(typeOf(made.kind)), nil) {
				r.fail(address)
			}
		})
	}
	for _, level := range byLevel {
		r.atOnce(level, func(address string) {
			made := changes[address]
			switch {
			case made.block == nil:
				return
			case r.hasFailed(append(made.block.references(), address)...), r.command.interrupted(), r.command.killed():
				r.fail(address)
				return
			case made.do == nothing:
				r.know(address, made.planned)
				return
			}
			if !r.changeOne(p, made) {
				r.fail(address)
			}
		})
	}
}

// changeOne plans a creation or an update once more, with what is known by now,
// and carries it out.
func (r *run) changeOne(p *process, made *change) bool {
	t := typeOf(made.kind)
	first := made.planned
	again := &change{address: made.address, kind: made.kind, block: made.block, prior: made.prior, before: made.before}
	if made.do != update {
		again.prior, again.before = null(t), nil
	} else {
		again.private, again.identity = made.before.private, made.before.identity
	}
	again.config = configValue(t, made.block.arguments, r.resolve)
	replaces, ok := r.askForPlan(p, again, "plan in the apply", again.prior)
	if !ok {
		return false
	}
	if replaces && made.do == update {
		r.cli.world.violate(promised, "%s was to be updated and is to be replaced now", made.address)
		return false
	}
	if wrong := changedPlan(first, again.planned); wrong != "" {
		r.cli.world.violate(promised, "the plan of %s changes in the apply, %s%s", made.address, made.address, wrong)
	}
	return r.applyOne(p, again, again.planned, made.block)
}

// changedPlan says where a plan made in the apply is not what was promised
// before, "" where it is.
func changedPlan(first, again value) string {
	switch {
	case !first.IsKnown():
		return ""
	case !again.IsKnown():
		return ": it was known and is unknown now"
	case first.IsNull(), again.IsNull(), !first.Type().Is(tftypes.Object{}):
		if first.IsFullyKnown() && !first.Equal(again) {
			return fmt.Sprintf(": %s, and now %s", shown(first), shown(again))
		}
		return ""
	}
	was, is := attributesOf(first), attributesOf(again)
	for _, name := range sortedNames(was) {
		if wrong := changedPlan(was[name], is[name]); wrong != "" {
			return "." + name + wrong
		}
	}
	return ""
}

// applyOne has the provider carry one change out, keeps what comes of it, and
// tells whether it went well.
func (r *run) applyOne(p *process, made *change, planned value, b *block) bool {
	t := typeOf(made.kind)
	if r.command.interrupted() {
		return false // Terraform starts nothing more after Ctrl-C
	}
	what := "update"
	switch {
	case planned.IsNull():
		what = "delete"
	case made.prior.IsNull():
		what = "create"
	}
	private := made.private
	if what == "delete" && made.before != nil {
		private = made.before.private
	}
	identity := made.identity
	if what == "delete" && made.before != nil {
		identity = made.before.identity
	}
	config := made.config
	if what == "delete" {
		config = null(t)
	}
	c := &call{address: made.address, what: what, block: b, run: r}
	r.cli.ask(made.address, b)
	r.cli.world.tell("%s: %s %s", r.cli.name, what, made.address)
	answer, ok := do(p, c, func(ctx context.Context) (*tfprotov6.ApplyResourceChangeResponse, error) {
		return p.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
			TypeName: made.kind, PriorState: dynamic(t, made.prior), PlannedState: dynamic(t, planned), Config: dynamic(t, config),
			PlannedPrivate: private, PlannedIdentity: identity,
		})
	})
	if !ok || answer == nil {
		r.cli.lose(c)
		return false
	}
	bad := r.hear(made.address, what, answer.Diagnostics)
	result := r.decode(made.kind, answer.NewState)
	if !bad && what != "delete" {
		if wrong := broken(planned, result); wrong != "" {
			r.cli.world.violate(promised, "%s of %s%s", what, made.address, wrong)
		}
	}
	if result.IsNull() {
		r.cli.save(r.command, made.address, nil)
		r.cli.lose(c)
		r.cli.world.leftByApply(c, made, bad)
		return !bad
	}
	tainted := bad && what == "create"
	if tainted {
		r.cli.world.tainted(c, made.kind, result)
	}
	if !result.IsFullyKnown() {
		if !bad {
			r.cli.world.violate(promised, "%s of %s leaves something unknown", what, made.address)
		}
		result = knownOf(result)
	}
	r.cli.save(r.command, made.address, &saved{made.kind, encode(result), answer.Private, answer.NewIdentity, tainted})
	r.know(made.address, result)
	return !bad
}

// knownOf is a value with null in place of what is unknown, as a CLI keeps the
// result of a failed apply.
func knownOf(v value) value {
	known, err := tftypes.Transform(v, func(_ *tftypes.AttributePath, v value) (value, error) {
		if !v.IsKnown() {
			return null(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		panic(err) // the function returns none
	}
	return known
}

// ask notes what a block asks for, for ever.
func (c *cli) ask(address string, b *block) {
	if b == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := c.asked[address]
	if asked == nil {
		asked = map[string]bool{}
		c.asked[address] = asked
	}
	for _, of := range []string{"engines", "env", "secret_env_wo"} {
		members, _ := b.arguments[of].(map[string]any)
		for name := range maps.Keys(members) {
			asked[of+"."+name] = true
		}
	}
}

func (c *cli) hasAsked(address, what string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[address][what]
}

// lose notes a call of which nothing comes into the state.
func (c *cli) lose(of *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of.what == "create" {
		c.lost = append(c.lost, of)
	}
}

// orphans are what lost creations have made, by now, and what is not in the state.
func (c *cli) orphans() []orphan {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []orphan
	for _, of := range c.lost {
		of.mu.Lock()
		for _, id := range of.ids {
			if !c.taken[id] {
				all = append(all, orphan{of.address, id})
			}
		}
		of.mu.Unlock()
	}
	return all
}

// importAs takes something over into the state by its id.
func (r *run) importAs(p *process, address, id string) bool {
	kind := r.kindOf(address)
	r.cli.world.tell("%s: import %s %s", r.cli.name, address, id)
	answer, ok := do(p, &call{address: address, what: "import"}, func(ctx context.Context) (*tfprotov6.ImportResourceStateResponse, error) {
		return p.server.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: kind, ID: id})
	})
	if !ok || answer == nil || r.hear(address, "import", answer.Diagnostics) {
		return false
	}
	one := answer.ImportedResources[0]
	state := r.decode(kind, one.State)
	read, ok := do(p, &call{address: address, what: "read"}, func(ctx context.Context) (*tfprotov6.ReadResourceResponse, error) {
		return p.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
			TypeName: kind, CurrentState: dynamic(typeOf(kind), state), Private: one.Private, CurrentIdentity: one.Identity,
		})
	})
	if !ok || read == nil || r.hear(address, "read", read.Diagnostics) {
		return false
	}
	v := r.decode(kind, read.NewState)
	if v.IsNull() {
		return false // the CLI says that it cannot import what does not exist
	}
	r.cli.save(r.command, address, &saved{kind, encode(v), read.Private, read.NewIdentity, false})
	return true
}
