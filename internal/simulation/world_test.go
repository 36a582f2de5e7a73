package simulation

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation/transcript"
)

// A world plays a scenario: it has a service, a network, people and two CLIs, in a bubble
// of fake time.
type world struct {
	scenario scenario
	fake     *fakeservice.Service
	gateway  *gateway.Gateway
	begun    time.Time
	over     chan struct{} // closed when the world ends
	calls    sync.WaitGroup
	first    *cli
	other    *cli
	config   configuration
	// stranger is another account at the same address, nil until it is used, and secondKey
	// is another key of the first account.
	stranger  *fakeservice.Service
	secondKey string
	// details, if non-nil, are told after each step.
	details *details
	// record, if non-nil, is called with each call of a provider.
	record func(transcript.Call)

	// replaced are the values that updates have replaced, by address and attribute.
	replaced map[string]replacedValue

	unknowns   atomic.Int64 // values that the provider had to keep out of states
	mu         sync.Mutex
	processes  int
	running    []*process
	requests   int
	weather    *stepWeather
	ids        map[string]string // the normalised names of ids
	kinds      map[string]int
	log, story []string
	counts     map[string]int
	violations []violation
	errorTexts []string // of all commands
	secrets    map[string]bool
	history    map[string][]porcupine.Operation // By instance.
	touched    map[string]time.Time             // The time of a person's latest change of an instance.
	repaired   map[string]time.Time             // The time at which a person repaired a failed instance.
	unseen     map[string]bool                  // Whether a deletion was sent before reads showed the repair.
	made       map[string]time.Time             // The time at which the service created an object.
	paid       map[string]time.Time             // The time at which a person opened a checkout, by its address.
	// status is the status that running instances show until statusUntil.
	status      string
	statusUntil time.Time
	// crashedUntil is the time until which running apps are shown as failed.
	crashedUntil time.Time
	// engineHiddenUntil is the time until which records lack one of their engines.
	engineHiddenUntil time.Time
	// leftDeleting are the jobs of deletions that left the status at deleting.
	leftDeleting map[string]bool
	// mayFailDeletion is how many jobs were made to fail that may be deletions.
	mayFailDeletion int
	resizings       []resizing
	unhurried       bool      // jobs were held
	awayUntil       time.Time // when the last outage ends
	cleanUps        []func()
}

// outcome is the result of a world.
type outcome struct {
	violations []violation
	requests   int
	counts     map[string]int
	log, story []string
	lasted     time.Duration // by the world's clock
}

// warmUp does the work that is done once in a process, outside any bubble.
var warmUp = sync.OnceFunc(func() {
	schemas()
	_ = fakeservice.New(fakeservice.Options{}).Close() // it is empty
})

// play plays a scenario and returns the outcome. It does not fail the test.
func play(t *testing.T, s scenario) (o outcome) {
	warmUp()
	defer func() {
		if reason := recover(); reason != nil {
			o.violations = append(o.violations, violation{bounded, fmt.Sprint("the world does not end: ", reason)})
		}
	}()
	synctest.Test(t, func(*testing.T) {
		w := newWorld(s)
		w.live()
		w.end()
		w.mu.Lock()
		defer w.mu.Unlock()
		o = outcome{w.violations, w.requests, w.counts, w.log, w.story, time.Since(w.begun)}
	})
	return o
}

func newWorld(s scenario) *world {
	w := &world{
		replaced: map[string]replacedValue{},
		scenario: s, begun: time.Now(), over: make(chan struct{}),
		ids: map[string]string{}, kinds: map[string]int{}, counts: map[string]int{}, secrets: map[string]bool{},
		history: map[string][]porcupine.Operation{}, touched: map[string]time.Time{}, repaired: map[string]time.Time{}, unseen: map[string]bool{}, made: map[string]time.Time{}, paid: map[string]time.Time{},
		leftDeleting: map[string]bool{},
	}
	w.fake = fakeservice.New(fakeservice.Options{APIKey: apiKey, Querier: fakeservice.QuerierFunc(w.query), RequestsKept: 1})
	w.fake.KeepPast(max(weather.LongestLag, s.Lag))
	w.gateway = gateway.New(http.HandlerFunc(w.serve), gateway.Options{Prefix: "/api/v1", Now: w.fake.Now, Watch: w.watch})
	w.gateway.SetFaultFunc(w.decide)
	w.config = s.Begin.configuration()
	w.first = newCLI(w, "first", func() []block { return w.config.blocks() })
	w.first.kind = s.CLI
	w.other = newCLI(w, "other", func() []block {
		id := w.first.text(webAddress, "id")
		instance, _ := w.fake.Instance(id)
		return w.config.otherBlocks(s.Other, id, instance.Engines["postgres"] != nil)
	})
	for what, given := range map[string]bool{clockOff: s.Clock != 0, readsBehind: s.Lag != 0, ratedLow: s.Rate != 0, withoutIdentities: s.CLI.noIdentity(), onTofu: s.CLI.isTofu()} {
		if given {
			w.count(what)
		}
	}
	w.count(beganWith(s.Begin))
	for i := range shapesEnd {
		if s.Shapes&(1<<i) != 0 {
			w.count(shapedAs(1 << i))
		}
	}
	for _, secret := range slices.Concat(endpointSecrets[1:], secretVariables[1:], []string{apiKey, strangersKey, leakedPassword}) {
		w.secrets[secret] = true
	}
	return w
}

// live plays the steps, and then lets everything come to rest.
func (w *world) live() {
	w.playSteps()
	w.comeToRest()
	for _, c := range []*cli{w.first, w.other} {
		if c.busy {
			w.settle(c)
		}
	}
	w.readLogs()
}

func (w *world) playSteps() {
	s := w.scenario
	w.gateway.SetConditions(gateway.Conditions{DateOffset: s.Clock, Lag: s.Lag, RateLimit: gateway.RateLimit{PerSecond: float64(s.Rate), Burst: s.Rate}})
	if s.Begin == adopted {
		w.adopt()
	}
	for _, st := range s.Steps {
		w.step(st)
	}
}

// adopt lets the first CLI import the objects that a person has set up in the portal.
func (w *world) adopt() {
	i := w.fake.AddInstance(fakeservice.Instance{Name: "web", Plan: "free", Region: "eu-central", Engines: map[string]*fakeservice.Engine{
		"postgres": {MemoryMB: 512}, "apps": {MemoryMB: 512}, "auth": {MemoryMB: 256},
	}})
	w.makes(i.ID)
	_, _ = w.fake.AddApp(i.ID, fakeservice.App{Name: "guestbook", Repo: "octo/guestbook", Env: map[string]string{portalVariable: "1"}})
	_ = w.fake.AddDatabase(i.ID, "shop")
	w.add(i.ID, time.Now(), madeOp{is: w.settingsOf(i.ID)})
	w.importAs(w.first, newCommand(cut{}), webAddress, i.ID)
	w.importAs(w.first, newCommand(cut{}), appAddress, i.ID+"/guestbook")
	w.importAs(w.first, newCommand(cut{}), "hosting_postgres_database.this", i.ID+"/shop")
}

// step plays one step.
func (w *world) step(st step) {
	w.config.edit(st.Edits)
	for _, d := range st.Deeds {
		if d.At == 0 {
			w.person(d.Kind)
		}
	}
	w.setWeather(newWeather(st))
	var beside sync.WaitGroup
	if st.Beside {
		beside.Go(func() {
			time.Sleep(137 * time.Microsecond)
			w.count(bothAtOnce)
			w.run(w.theOther(st.By), step{Verb: apply, By: 1 - st.By})
		})
	}
	w.run(w.cliOf(st.By), st)
	beside.Wait()
	w.setWeather(nil)
	w.tellDetails()
	time.Sleep(st.Pause)
}

func (w *world) setWeather(now *stepWeather) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.weather = now; now != nil {
		now.outage = time.Now().Before(w.awayUntil)
	}
}

func (w *world) cliOf(by int) *cli    { return []*cli{w.first, w.other}[by] }
func (w *world) theOther(by int) *cli { return w.cliOf(1 - by) }

// comeToRest ends the bad weather, and waits until no work is in progress at the service.
func (w *world) comeToRest() {
	w.tell("all comes to rest")
	s := w.scenario
	w.gateway.Away(0, 0)
	w.gateway.SetConditions(gateway.Conditions{DateOffset: s.Clock})
	w.gateway.DeliverLate()
	w.mu.Lock()
	cleanUps := w.cleanUps
	w.cleanUps = nil
	w.mu.Unlock()
	for _, do := range cleanUps {
		do()
	}
	time.Sleep(time.Hour)
}

// end checks the logs, and ends everything in the bubble.
func (w *world) end() {
	w.checkAtTheEnd()
	w.endAll()
}

func (w *world) endAll() {
	close(w.over)
	for _, p := range w.running {
		p.end()
	}
	// The remaining work of killed processes ends by its own clock.
	time.Sleep(time.Hour)
	w.calls.Wait()
	w.gateway.Close()
	if w.stranger != nil {
		_ = w.stranger.Close() // it has no data plane either
	}
	_ = w.fake.Close() // it has no data plane that could fail
}

// count counts an event.
func (w *world) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[what]++
}

// countOnce counts a world in which an event occurred, however often.
func (w *world) countOnce(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[what] = 1
}

// run lets a CLI run a step.
func (w *world) run(c *cli, st step) {
	cmd := newCommand(st.Cut)
	cmd.flags, cmd.key = st.Flags, st.Key
	w.tellStep(c, st)
	if st.Key == strangerKey {
		if w.canBeStranger(c, st) {
			w.asStranger(c, st, cmd, func() { w.carryOut(c, st, cmd) })
		}
		return
	}
	if st.Key != usualKey {
		w.countOnce(keyed(st.Key))
	}
	w.count(acted(st.Verb))
	if c == w.other {
		w.count(otherActed(w.scenario.Other))
		w.takeOver(c)
	}
	w.carryOut(c, st, cmd)
}

// carryOut lets a CLI run a step, as a command.
func (w *world) carryOut(c *cli, st step, cmd *command) {
	addresses := c.addresses()
	target := ""
	if len(addresses) > 0 {
		target = addresses[st.Target%len(addresses)]
	}
	switch st.Verb {
	case apply:
		w.apply(c, cmd, nil)
	case targeted:
		blocks := c.blocks()
		if len(blocks) == 0 {
			return
		}
		b := blocks[st.Target%len(blocks)]
		about := w.withReferences(c, b)
		w.apply(c, cmd, func(r *run) { r.only = func(address string) bool { return about[address] } })
	case replace:
		w.apply(c, cmd, func(r *run) { r.replace = target })
	case refresh:
		w.refresh(c, cmd)
	case destroy:
		failsSoon := w.failsSoon()
		if a := w.destroy(c, cmd); !failsSoon {
			w.checkDestroyed(c, st, a)
		}
	case taint:
		c.get(target).tainted = true
	case importByID, importByIdentity:
		by := &tfprotov6.ImportResourceStateRequest{TypeName: c.get(target).kind, ID: c.importID(target)}
		if st.Verb == importByIdentity {
			by.ID, by.Identity = "", c.get(target).identity
		}
		c.save(cmd, target, nil)
		w.apply(c, cmd, func(r *run) { r.imports = map[string]*tfprotov6.ImportResourceStateRequest{target: by} })
	case move:
		moved := c.get(target)
		c.save(cmd, target, nil)
		c.save(cmd, moved.kind+movedName, moved)
		blocks := c.blocks()
		for n := range blocks {
			if blocks[n].address == target {
				blocks[n].address = moved.kind + movedName
			}
		}
		c.blocks = func() []block { return blocks }
		w.apply(c, cmd, nil)
	case forget:
		blocks := slices.DeleteFunc(c.blocks(), func(b block) bool { return b.address == target })
		c.blocks = func() []block { return blocks }
		w.apply(c, cmd, func(r *run) { r.forgets = target })
	case query:
		r := c.run(cmd)
		if r.validateAll(w.start(c, cmd)) {
			r.list(w.start(c, cmd), "hosting_instance")
		}
	case reimport:
		if id := c.importID(target); id != "" {
			c.save(cmd, target, nil)
			c.released[id] = true
			w.importAs(c, cmd, target, id)
		}
	default:
		w.act(c, cmd, st.Verb)
	}
}

// movedName is the suffix of a moved resource's address, after its type.
const movedName = ".moved"

// withReferences returns the addresses that -target of a block includes.
func (w *world) withReferences(c *cli, b block) map[string]bool {
	all := byAddress(c.blocks())
	about := map[string]bool{}
	var add func(b block)
	add = func(b block) {
		about[b.address] = true
		for _, address := range b.references() {
			add(all[address])
		}
	}
	add(b)
	return about
}

// takeOver lets the other CLI import the first one's instance, if it manages that instance
// and does not have it yet.
func (w *world) takeOver(c *cli) {
	id := w.first.text(webAddress, "id")
	if w.scenario.Other == theSame && c.get(webAddress) == nil && id != "" {
		w.importAs(c, newCommand(cut{}), webAddress, id)
		c.mu.Lock()
		c.taken[id] = true
		c.mu.Unlock()
	}
}

func (w *world) importAs(c *cli, cmd *command, address, id string) bool {
	r := c.run(cmd)
	return r.importAs(w.start(c, cmd), address, id)
}

// importID returns the id by which a resource in the state is imported, or "" if its type
// has no import.
func (c *cli) importID(address string) string {
	kind, _, _ := strings.Cut(address, ".")
	switch kind {
	case "hosting_instance", "hosting_webhook_endpoint", "hosting_account_profile":
		return c.text(address, "id")
	case "hosting_app", "hosting_postgres_database":
		return c.text(address, "instance_id") + "/" + c.text(address, "name")
	case "hosting_postgres_extension":
		return c.text(address, "instance_id") + "/" + c.text(address, "database") + "/" + c.text(address, "name")
	case "hosting_allowlist", "hosting_console_mode", "hosting_auth_settings":
		return c.text(address, "instance_id")
	}
	return ""
}

// refresh is apply -refresh-only.
func (w *world) refresh(c *cli, cmd *command) {
	r := c.run(cmd)
	if !r.validateAll(w.start(c, cmd)) {
		return
	}
	p := w.start(c, cmd)
	for _, level := range r.levels(c.addresses(), r.kindOf) {
		r.atOnce(together, level, func(address string) {
			if cmd.interrupted() || cmd.killed() {
				return
			}
			if now, _, ok := r.read(p, address, c.get(address)); ok {
				c.save(cmd, address, now)
				if of := c.unknownOutcome(address); of != nil && of.what == "update" {
					c.decided(address) // the state has the new script now, so it was accepted
				}
			}
		})
	}
}

// applied is the result of an apply.
type applied struct {
	*run
	planned bool // whether the plan succeeded
	changed map[string]*change
}

// apply plans in one process and carries the plan out in another.
func (w *world) apply(c *cli, cmd *command, with func(*run)) applied {
	plan := c.run(cmd)
	if with != nil {
		with(plan)
	}
	var changes map[string]*change
	ok := plan.validateAll(w.start(c, cmd))
	if ok {
		changes, ok = plan.plan(w.start(c, cmd))
	}
	w.checkOrphans(c, plan, changes)
	if !ok {
		return applied{plan, false, changes}
	}
	if w.takesTheAdvice(c, plan) {
		return w.apply(c, cmd, with)
	}
	carry := c.run(cmd)
	if with != nil {
		with(carry)
	}
	carry.told = plan.told
	p := w.start(c, cmd)
	carry.apply(p, changes)
	w.checkPatience(carry)
	w.checkConnections(carry)
	w.checkOnce(c)
	w.readAgain(carry, p, changes)
	return applied{carry, true, changes}
}

// destroy plans as an apply does, to refresh the state, and then plans and carries out the
// destruction of all of it. An error of the first plan is one of the command; a warning is
// dropped.
func (w *world) destroy(c *cli, cmd *command) applied {
	refreshing := c.run(cmd)
	if !refreshing.validateAll(w.start(c, cmd)) {
		return applied{refreshing, false, nil}
	}
	if cmd.flags&(withoutRefresh|planningTwice) == 0 {
		if _, ok := refreshing.plan(w.start(c, cmd)); !ok {
			return applied{refreshing, false, nil}
		}
	}
	blocks := c.blocks
	c.blocks = func() []block { return nil }
	defer func() { c.blocks = blocks }()
	return w.apply(c, cmd, func(r *run) { r.isRefreshed = true })
}

// takesTheAdvice imports objects that a message names as the remains of an earlier apply,
// like a person who reads it. It reports whether it imported any.
func (w *world) takesTheAdvice(c *cli, r *run) bool {
	taken := false
	for _, lost := range c.orphans() {
		if c.get(lost.address) == nil && r.says(`id = "`+lost.id+`"`) {
			cmd := newCommand(cut{})
			if w.importAs(c, cmd, lost.address, lost.id) {
				w.count(orphanImported)
				c.mu.Lock()
				c.taken[lost.id] = true
				c.mu.Unlock()
				taken = true
			}
		}
	}
	return taken
}
