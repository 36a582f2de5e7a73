package simulation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// A check is a property of every world.
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
	inForce      check = "an empty plan means that the service has what is configured"
	orphanNamed  check = "after a kill inside a creation, the next plan names the orphan"
	oneAtATime   check = "jobs are one at a time, and take effect as their end says"
	readsItsOwn  check = "no read is older than the process's own last change"
	notInHalf    check = "a mutation on its way is not cut off by Ctrl-C"
	toldTruly    check = "what is told as done is done, and what failed is told"
	putBack      check = "a script leaves the console as it was"
	noBug        check = "no error is a bug of the provider"
	keepsToDoc   check = "each exchange keeps to the API document"
	connects     check = "an ephemeral connection has its URLs, waits for a creation, and says what to do about a checkout"
	gotRidOf     check = "a destroy that nothing hinders leaves nothing behind"
	saysTruly    check = "no plan ends with an error that only another configuration, or the creation itself, deserves"
	leftAlone    check = "a connection that fell silent is not used again"
	askedOnce    check = "no resize, engines change or build is asked for twice"
	otherAccount check = "a key of another account changes nothing, and an error says so"
	asItIs       check = "an account is listed and imported whole, plans empty as its configuration is generated, and stays as it is"
)

// A violation is a check that failed, with details.
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

// refusedAsExisting is the part of an error which says that a name is taken, and shows the
// import.
const refusedAsExisting = "add this import block and apply again"

// hasNoConnection is the part of an error about the connection of an instance that never
// ran. The error explains how to replace the instance first.
const hasNoConnection = "so it has no connection record"

// closedHere are errors that count as closed where people do more than the closed list
// covers. They protect an engine, or refuse a name that is taken and show the import.
// Others report that the creation of an imported instance failed, that an app's variables
// are unknown, or that the account of a missing object is unknown.
var closedHere = []string{
	"Its account cannot be compared",
	hasNoConnection,
	"is protected from losing its",
	refusedAsExisting,
	"the creation of the instance failed; it can only be deleted",
	machineFailed,
	"nothing proves that it shows the current ones in plain text",
}

func closed(text string) bool {
	return ClosedErrorIn(text) != "" || slices.ContainsFunc(closedHere, func(known string) bool { return strings.Contains(text, known) })
}

// hear checks a diagnostic.
func (w *world) hear(r *run, t told) {
	kind := map[bool]string{true: "error", false: "warning"}[t.isError]
	text := strings.ReplaceAll(t.text, "\n", " ")
	if w.details != nil {
		text = beginningOf(t.text)
	}
	w.tell("%s: %s of %s %s: %s", r.cli.name, kind, t.during, t.address, text)
	for _, bug := range []string{"Provider produced", "Provider returned", "Missing Resource Identity", "Unexpected Identity", "Value Conversion Error", "Report this", "report this"} {
		if strings.Contains(t.text, bug) {
			w.violate(noBug, "%s %s: %s", t.during, t.address, t.text)
		}
	}
	w.checkTrue(t)
	w.holdSecret("an "+kind, []byte(t.text))
	if t.isError {
		w.mu.Lock()
		w.errorTexts = append(w.errorTexts, t.text)
		w.mu.Unlock()
	}
}

// checkTrue checks that an error does not claim conflicts that the configuration excludes:
// it manages each setting once. A plan must not fail because of an instance of the same
// name in creation: only the apply shows which instance is whose.
func (w *world) checkTrue(t told) {
	planning := t.during != "create" && t.during != "update" && t.during != "delete"
	if t.isError && (strings.Contains(t.text, "Two resources manage") || planning && ClosedErrorIn(t.text) == namesakeInCreation) {
		w.violate(saysTruly, "%s of %s: %s", t.during, t.address, t.text)
	}
}

// holdSecret checks that a text contains no secret.
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

// learnSecrets records the secrets in an answer of the service.
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
