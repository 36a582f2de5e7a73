package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// A check is something that must hold in every world.
type check string

const (
	oneMachine   check = "one machine per wanted instance, and one thing per wanted thing"
	notByGuess   check = "nothing is bought while another's creation is unknown"
	staysInState check = "no managed thing leaves the state while it exists"
	isProtected  check = "nothing protected is destroyed"
	taintedOnly  check = "nothing is tainted without a failed job or build"
	askedToGo    check = "no variable, engine or address goes that nobody asked to remove"
	actedOnce    check = "no action is told as done that did not run, and none runs twice"
	statedOnce   check = "no SQL runs twice within one operation"
	noSecret     check = "no secret in an error, a log or an insensitive attribute"
	bounded      check = "every call ends in bounded time and requests"
	seenToItsEnd check = "an apply that was neither cut nor out of time sees creations to their end"
	promised     check = "planned is what the apply returns"
	settled      check = "once calm, one apply empties the plan or ends in an error of the closed list"
	orphanNamed  check = "after a kill inside a creation, the next plan names the orphan"
	oneAtATime   check = "jobs are one at a time, and take effect as their end says"
	readsItsOwn  check = "no read is older than the process's own last change"
	noBug        check = "no error is a bug of the provider"
	keepsToDoc   check = "each exchange keeps to the API document"
)

// A violation is a check that does not hold, with why.
type violation struct {
	check check
	text  string
}

func (w *world) violate(c check, format string, arguments ...any) {
	text := w.normal(fmt.Sprintf(format, arguments...))
	w.tell("VIOLATION %s: %s", c, text)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.violations = append(w.violations, violation{c, text})
}

// A closedError is an error that an apply may end with in fair weather too. Its
// message names its cure.
var closedErrors = []string{
	"waits for its checkout",
	"is protected from",
	"An instance of the same name is being created", "plan and region is being created already",
	"which of these is it cannot be told", "and it was not asked for again",
	"take the existing one over with an import block",
	"the creation of the instance failed; it can only be deleted", // of one that was imported, and so may have run
}

func closed(text string) bool {
	return slices.ContainsFunc(closedErrors, func(known string) bool { return strings.Contains(text, known) })
}

// hear looks at a diagnostic.
func (w *world) hear(r *run, t told) {
	kind := map[bool]string{true: "error", false: "warning"}[t.isError]
	w.tell("%s: %s of %s %s: %s", r.cli.name, kind, t.during, t.address, strings.ReplaceAll(t.text, "\n", " "))
	for _, bug := range []string{"Provider produced", "Provider returned", "Missing Resource Identity", "Unexpected Identity", "Value Conversion Error", "Report this", "report this"} {
		if strings.Contains(t.text, bug) {
			w.violate(noBug, "%s %s: %s", t.during, t.address, t.text)
		}
	}
	if strings.Contains(t.text, "was found after its creation's answer was lost") {
		w.mu.Lock()
		w.adopted = true
		w.mu.Unlock()
	}
	w.holdSecret("an "+kind, []byte(t.text))
}

// holdSecret holds that a text has no secret in it.
func (w *world) holdSecret(where string, text []byte) {
	w.mu.Lock()
	secrets := sortedNames(w.secrets)
	w.mu.Unlock()
	for _, secret := range secrets {
		if bytes.Contains(text, []byte(secret)) {
			w.violate(noSecret, "%s holds the secret %s", where, secret)
		}
	}
}

// learnSecrets reads the secrets that the service tells.
func (w *world) learnSecrets(p string, body []byte) {
	var told struct {
		Secret  string
		Engines map[string]map[string]any
	}
	if json.Unmarshal(body, &told) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if p == "/webhooks" && told.Secret != "" {
		w.secrets[told.Secret] = true
	}
	if !strings.HasSuffix(p, "/connection") {
		return
	}
	for _, engine := range told.Engines {
		for name, of := range engine {
			text, _ := of.(string)
			if name == "service_key" && text != "" {
				w.secrets[text] = true
			}
			if u, err := url.Parse(text); err == nil && u.User != nil {
				if password, given := u.User.Password(); given {
					w.secrets[password] = true
				}
			}
		}
	}
}

// query runs a statement of the console, which only counts it.
func (w *world) query(ctx context.Context, q fakeservice.Query) (fakeservice.QueryResult, error) {
	if c := callOf(ctx); c != nil {
		c.mu.Lock()
		c.sql[q.SQL]++
		n := c.sql[q.SQL]
		c.mu.Unlock()
		if n > 1 {
			w.violate(statedOnce, "%s of %s ran %q %d times", c.what, c.address, q.SQL, n)
		}
	}
	if q.Mode != "rw" {
		return fakeservice.QueryResult{}, &fakeservice.SQLError{Message: "cannot execute CREATE in a read-only transaction", SQLState: "25006"}
	}
	return fakeservice.QueryResult{Command: "CREATE"}, nil
}

// segments are the elements of a path below the prefix.
func segments(p string) []string { return strings.Split(strings.Trim(p, "/"), "/") }

// beforeServing looks at a request that the service is about to see.
func (w *world) beforeServing(r *http.Request, body []byte) {
	c := callOf(r.Context())
	if c == nil || r.Method == http.MethodGet {
		return
	}
	at := segments(path(r))
	switch {
	case r.Method == http.MethodDelete:
		w.checkDeletion(c, at)
	case r.Method == http.MethodPut && at[len(at)-1] == "engines":
		w.checkEngines(c, at[1], body)
	case r.Method == http.MethodPut && at[len(at)-1] == "allowlist":
		w.checkAllowlist(c, at[1], body)
	case r.Method == http.MethodPatch && len(at) == 4 && at[2] == "apps":
		w.checkVariables(c, at[1], at[3], body)
	}
}

// checkDeletion holds that what is deleted is not protected in the state, or has
// never run.
func (w *world) checkDeletion(c *call, at []string) {
	if protection, _ := c.cli.attribute(c.address, "deletion_protection").(bool); !protection || c.cli.get(c.address).tainted {
		return
	}
	ran := true
	if i, ok := w.fake.Instance(at[1]); ok && len(at) == 2 {
		ran = i.Host != ""
	}
	if len(at) == 4 && at[2] == "apps" {
		app, _ := w.fake.App(at[1], at[3])
		ran = slices.ContainsFunc(app.Builds, func(b fakeservice.Build) bool { return b.Status == fakeservice.StatusSuccessful })
	}
	if ran {
		w.violate(isProtected, "%s of %s deletes /%s", c.what, c.address, strings.Join(at, "/"))
	}
}

func (w *world) checkEngines(c *call, id string, body []byte) {
	var sent struct{ Engines map[string]any }
	i, ok := w.fake.Instance(id)
	if json.Unmarshal(body, &sent) != nil || !ok {
		return
	}
	for _, engine := range engineNamesOf(i) {
		_, stays := sent.Engines[engine]
		// Who applies a plan that warns of it has asked for it, and a machine that
		// had not run when the plan was made had nothing to lose.
		warned := c.run.says("Turning " + engine + " off deletes its data")
		ran := w.creationOf(id).FinishedAt.Before(c.run.command.began)
		if !stays && !warned && ran && w.couldBeSeen(id) && !c.cli.hasAsked(c.address, "engines."+engine) {
			w.violate(askedToGo, "%s of %s turns the engine %s off", c.what, c.address, engine)
		}
	}
}

// couldBeSeen tells whether a read, as late as reads are here, can have shown what
// a person has changed of an instance: the service knows no conditional changes.
func (w *world) couldBeSeen(id string) bool {
	behind := w.readsLag()
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.touched[id]) > behind+time.Second
}

// readsLag is how far reads may be behind now.
func (w *world) readsLag() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.weather != nil && slices.ContainsFunc(w.weather.strikes, func(f *falling) bool { return f.Kind == lagging }) {
		return longestLag
	}
	return w.scenario.Lag
}

func (w *world) checkAllowlist(c *call, id string, body []byte) {
	var sent struct{ Allowlist []string }
	i, ok := w.fake.Instance(id)
	if json.Unmarshal(body, &sent) != nil || !ok {
		return
	}
	canonical := func(addresses []string) []string {
		var all []string
		for _, a := range addresses {
			all = append(all, strings.TrimSuffix(a, "/32"))
		}
		slices.Sort(all)
		return all
	}
	var wanted []string
	if c.block != nil {
		wanted, _ = c.block.arguments["cidrs"].([]string)
	} else if c.cli.text(c.address, "on_destroy") != "open" {
		w.violate(askedToGo, "%s of %s sends an allowlist", c.what, c.address)
	}
	if !slices.Equal(canonical(sent.Allowlist), canonical(wanted)) {
		w.violate(askedToGo, "%s of %s makes the allowlist %v of %v, and %v is configured", c.what, c.address, sent.Allowlist, i.Allowlist, wanted)
	}
}

func (w *world) checkVariables(c *call, id, name string, body []byte) {
	var sent struct{ Env *map[string]string }
	a, ok := w.fake.App(id, name)
	if json.Unmarshal(body, &sent) != nil || !ok || sent.Env == nil || c.block == nil {
		return
	}
	if c.block.arguments["env"] != nil || c.block.arguments["secret_env_wo"] != nil {
		return // from then on it is all that the app has
	}
	for _, variable := range sortedNames(a.Env) {
		// What the state holds, the plan has shown to go.
		planned := c.cli.attribute(c.address, "env", variable) != nil
		if _, stays := (*sent.Env)[variable]; !stays && !planned && !c.cli.hasAsked(c.address, "env."+variable) && !c.cli.hasAsked(c.address, "secret_env_wo."+variable) {
			w.violate(askedToGo, "%s of %s takes the variable %s away", c.what, c.address, variable)
		}
	}
}

// served looks at what the service has answered, which the client may never see.
func (w *world) served(r *http.Request, body []byte, status int, answer []byte, arrived time.Time) {
	p := path(r)
	at := segments(p)
	w.learnSecrets(p, answer)
	if gateway.LagOf(r.Context()) == 0 {
		w.remember(r, at, body, status, answer, arrived)
	}
	c := callOf(r.Context())
	if c == nil || status >= 300 || r.Method != http.MethodPost {
		return
	}
	var made struct{ ID string }
	_ = json.Unmarshal(answer, &made) // an answer without an id has none
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case p == "/instances", p == "/webhooks":
		c.ids = append(c.ids, made.ID)
		if len(c.ids) > 1 {
			w.violate(oneMachine, "%s of %s has made %v", c.what, c.address, c.ids)
		}
	case strings.HasSuffix(p, "/postgres/databases"):
		c.ids = append(c.ids, at[1]+"/"+nameIn(body))
	case strings.HasSuffix(p, "/apps/import"):
		c.ids = append(c.ids, at[1]+"/"+nameIn(body))
	case slices.Contains(at, "actions"):
		if c.taken[p]++; c.taken[p] > 1 {
			w.violate(actedOnce, "%s of %s ran %s %d times", c.what, c.address, p, c.taken[p])
		}
	}
}

func nameIn(body []byte) string {
	var sent struct{ Name string }
	_ = json.Unmarshal(body, &sent) // the service has taken it
	return sent.Name
}

// postOutcome is what the client knows of a POST of an instance.
type postOutcome struct {
	refused bool   // nothing was done
	text    string // for people
}

// witness looks at what the client gets.
func (w *world) witness(r *http.Request, made *http.Response, err error) (*http.Response, error) {
	c := callOf(r.Context())
	if c == nil || r.Method != http.MethodPost || path(r) != "/instances" && path(r) != "/webhooks" {
		return made, err
	}
	outcome := postOutcome{text: fmt.Sprint(err)}
	if err == nil {
		body, broken := io.ReadAll(made.Body)
		_ = made.Body.Close() // it is read
		made.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{broken}))
		var told struct{ ID, Code string }
		whole := broken == nil && json.Unmarshal(body, &told) == nil
		// Whoever says 429 has let nothing through.
		refused := made.StatusCode == http.StatusTooManyRequests || whole && told.Code != "" && made.StatusCode >= 400
		outcome = postOutcome{refused, fmt.Sprintf("%d (%s)", made.StatusCode, told.Code)}
		if whole && told.ID != "" {
			c.mu.Lock()
			c.answered[told.ID] = true
			c.mu.Unlock()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.posts); n > 0 && !c.posts[n-1].refused {
		w.violate(notByGuess, "%s of %s was sent again after %s", c.what, c.address, c.posts[n-1].text)
	}
	c.posts = append(c.posts, outcome)
	return made, err
}

// failing ends a body as the connection did.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}

// exists tells whether the service has what a resource is about.
func (w *world) exists(kind string, v value) bool {
	id, _ := attribute(v, "instance_id").(string)
	name, _ := attribute(v, "name").(string)
	i, there := w.fake.Instance(id)
	switch kind {
	case "hosting_instance":
		own, _ := attribute(v, "id").(string)
		_, there = w.fake.Instance(own)
		return there
	case "hosting_webhook_endpoint":
		own, _ := attribute(v, "id").(string)
		return slices.ContainsFunc(w.fake.Webhooks(), func(e fakeservice.Webhook) bool { return e.ID == own })
	case "hosting_app":
		_, there = w.fake.App(id, name)
		return there
	case "hosting_postgres_database":
		return slices.ContainsFunc(w.fake.Databases(id), func(d fakeservice.Database) bool { return d.Name == name })
	case "hosting_postgres_extension":
		database, _ := attribute(v, "database").(string)
		return slices.ContainsFunc(w.fake.Extensions(id), func(e fakeservice.Extension) bool {
			return e.Name == name && (e.Database == database || database == "")
		})
	case "hosting_auth_settings":
		return there && i.Engines["auth"] != nil
	case "hosting_console_mode", "hosting_postgres_script":
		return there && i.Engines["postgres"] != nil
	}
	return there
}

// removedByRead holds that what a refresh takes out of the state has gone.
func (w *world) removedByRead(c *call, kind string, prior value) {
	if w.exists(kind, prior) {
		w.violate(staysInState, "%s of %s takes it out of the state, and it exists", c.what, c.address)
	}
}

// leftByApply looks at a creation or deletion that leaves nothing in the state.
func (w *world) leftByApply(c *call, made *change, bad bool) {
	if c.what == "delete" && !bad {
		switch made.kind {
		case "hosting_instance", "hosting_webhook_endpoint", "hosting_app", "hosting_postgres_database", "hosting_postgres_extension":
			if w.exists(made.kind, made.prior) {
				w.violate(staysInState, "%s of %s is told as done, and it exists", c.what, c.address)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range c.ids {
		if c.what == "create" && c.answered[id] {
			w.violate(staysInState, "the client was told that %s is made for %s, and it is not in the state", id, c.address)
		}
	}
}

// tainted holds that something failed at the service for what is tainted.
func (w *world) tainted(c *call, kind string, result value) {
	id, _ := attribute(result, "instance_id").(string)
	if kind == "hosting_instance" {
		id, _ = attribute(result, "id").(string)
	}
	for _, j := range w.fake.Jobs() {
		if j.InstanceID == id && j.Status == "failed" && !j.FinishedAt.Before(c.began.Add(-time.Second)) {
			return
		}
	}
	for _, a := range w.fake.Apps(id) {
		if a.Status == "failed" || slices.ContainsFunc(a.Builds, func(b fakeservice.Build) bool { return b.Status == "failed" }) {
			return
		}
	}
	w.violate(taintedOnly, "%s is tainted", c.address)
}

// checkPatience holds that a creation was waited for, where nothing was in the
// way of that.
func (w *world) checkPatience(r *run) {
	w.mu.Lock()
	unhurried := w.unhurried
	w.mu.Unlock()
	if r.command.interrupted() || r.command.killed() || unhurried || r.cli.hasShortTimeout() || w.longTroubled() {
		return
	}
	for _, text := range []string{"is still being created", "is not deployed yet"} {
		if r.says(text) {
			w.violate(seenToItsEnd, "the apply ends with: %s", text)
		}
	}
}

func (c *cli) hasShortTimeout() bool {
	return slices.ContainsFunc(c.blocks(), func(b block) bool { return b.arguments["timeouts"] != nil })
}

// longTroubled tells whether the weather of the step may have gone on for as long
// as a wait has to bear, which is two minutes; the last request that was struck
// may have taken one of them.
func (w *world) longTroubled() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.weather != nil && w.weather.last.Sub(w.weather.first) > time.Minute
}

// checkOrphans holds that a plan which creates an instance or an endpoint anew
// names the one that an earlier creation has made.
func (w *world) checkOrphans(c *cli, r *run, changes map[string]*change) {
	for _, lost := range c.orphans() {
		made := changes[lost.address]
		if made == nil && !r.hasFailed(lost.address) || c.get(lost.address) != nil || r.command.interrupted() || r.command.killed() {
			continue
		}
		b, ok := byAddress(c.blocks())[lost.address]
		if !ok || !w.equals(lost.id, b) || r.says(lost.id) {
			continue
		}
		if len(r.errors()) > 0 && made == nil {
			continue // the plan came to another end
		}
		if r.says("could not be checked") || w.readsLag() > 0 {
			continue // it says so, or could not see it yet
		}
		w.violate(orphanNamed, "the plan of %s does not name %s", lost.address, lost.id)
	}
}

// troubled tells whether there is any weather.
func (w *world) troubled() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.weather != nil && len(w.weather.strikes) > 0
}

// equals tells whether what was made is there and as a block wants it.
func (w *world) equals(id string, b block) bool {
	switch b.kind {
	case "hosting_instance":
		i, there := w.fake.Instance(id)
		return there && i.Status != "failed" && i.Status != "deleting" && i.Name == b.arguments["name"] && i.Plan == b.arguments["plan"] && i.Region == b.arguments["region"]
	case "hosting_webhook_endpoint":
		return slices.ContainsFunc(w.fake.Webhooks(), func(e fakeservice.Webhook) bool { return e.ID == id && e.URL == b.arguments["url"] })
	}
	return false
}

// readAgain holds that the process reads nothing older than what it has just
// changed, where nobody else changes anything.
func (w *world) readAgain(r *run, p *process) {
	if w.scenario.Lag > 0 || w.troubled() || len(r.told) > 0 || r.command.killed() || r.command.interrupted() || w.othersAct() {
		return
	}
	again := r.cli.run(r.command)
	for _, address := range r.cli.addresses() {
		s := r.cli.get(address)
		prior, ok := again.upgrade(p, address, s)
		if !ok {
			return
		}
		now, v, ok := again.read(p, address, s)
		if ok && now != nil && !v.Equal(prior) {
			w.violate(readsItsOwn, "%s is read as %v", address, differences(prior, v))
		}
	}
}

// othersAct tells whether anybody but the first CLI has a hand in the scenario.
func (w *world) othersAct() bool {
	return slices.ContainsFunc(w.scenario.Steps, func(s step) bool { return len(s.Deeds) > 0 || s.Beside || s.By == 1 })
}

// checkAtTheEnd looks at what there is when all is done.
func (w *world) checkAtTheEnd() {
	for _, text := range w.fake.Violations() {
		w.violate(keepsToDoc, "%s", text)
	}
	w.checkHistory()
	w.checkNobodysInstances()
	for _, p := range w.running {
		w.holdSecret("the log", p.log.bytes())
	}
	for _, c := range []*cli{w.first, w.other} {
		for _, address := range c.addresses() {
			w.checkState(c, address)
		}
	}
}

// checkNobodysInstances holds that each instance and endpoint is in a state,
// unless a creation was cut off or said that it does not know.
func (w *world) checkNobodysInstances() {
	known := map[string]bool{}
	for _, c := range []*cli{w.first, w.other} {
		for _, address := range c.addresses() {
			known[c.text(address, "id")] = true
		}
		for _, o := range c.orphans() {
			known[o.id] = true
		}
		for id := range c.released {
			known[id] = true
		}
	}
	w.mu.Lock()
	adopted := w.adopted
	w.mu.Unlock()
	for _, i := range w.fake.Instances() {
		if !known[i.ID] && !adopted {
			w.violate(oneMachine, "the instance %s (%s) is in no state", i.ID, i.Name)
		}
	}
	for _, e := range w.fake.Webhooks() {
		if !known[e.ID] {
			w.violate(oneMachine, "the endpoint %s is in no state", e.ID)
		}
	}
}

// checkState holds that a state has no secret where it may be read.
func (w *world) checkState(c *cli, address string) {
	s := c.get(address)
	var all map[string]any
	_ = json.Unmarshal(s.json, &all) // it was encoded here
	for _, a := range schemaOf(s.kind).Block.Attributes {
		if a.Sensitive && !a.WriteOnly {
			delete(all, a.Name)
		}
	}
	open, _ := json.Marshal(all) // JSON made it
	w.holdSecret("the state of "+address, open)
	w.holdSecret("the private state of "+address, s.private)
}
