package simulation

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// A credential is the API key that a command's provider is configured with.
type credential int

const (
	usualKey    credential = iota
	newKey                 // another key of the same account
	strangerKey            // a key of another account, at the same address
	credentials
)

func (k credential) String() string {
	return [...]string{"the usual key", "a new key", "a key of another account"}[k]
}

const strangersKey = "the-key-of-the-other-account"

// The ids of the accounts as shown by GET /me.
const (
	ownAccount      = "acc-one"
	strangerAccount = "acc-two"
)

// keyOf returns a credential's key. The account's second key and the other account are
// created on their first use.
func (w *world) keyOf(k credential) string {
	switch k {
	case newKey:
		if w.secondKey == "" {
			made, err := w.fake.CreateKey("the second")
			if err != nil {
				panic(err) // the name is valid
			}
			w.mu.Lock()
			w.secondKey, w.secrets[made.Key] = made.Key, true
			w.mu.Unlock()
		}
		return w.secondKey
	case strangerKey:
		if w.stranger == nil {
			w.stranger = fakeservice.New(fakeservice.Options{APIKey: strangersKey, Querier: fakeservice.QuerierFunc(w.query), RequestsKept: 1})
			w.stranger.KeepPast(max(weather.LongestLag, w.scenario.Lag))
		}
		return strangersKey
	}
	return apiKey
}

// ofStranger reports whether a request has the other account's key.
func ofStranger(r *http.Request) bool {
	return keyIn(r) == strangersKey
}

// serveStranger records a request to the other account.
func (w *world) serveStranger(r *http.Request, status int) {
	c := callOf(r.Context())
	if c == nil {
		return
	}
	w.countOnce(keyed(strangerKey))
	if r.Method != http.MethodGet && status < 300 {
		w.violate(otherAccount, "%s of %s is taken by the other account: %s %s", c.what, c.address, r.Method, path(r))
	}
}

// nameAccount puts an account's own id into its record.
func nameAccount(r *http.Request, answer any) {
	record, ok := answer.(map[string]any)
	if !ok || path(r) != "/me" || record["id"] == nil {
		return
	}
	record["id"] = ownAccount
	if ofStranger(r) {
		record["id"] = strangerAccount
	}
}

// canBeStranger reports whether a step makes sense with the other account's key. The
// command must look at something in the state, and each object of the state must have a
// note of its account. A provider cannot compare without a note, nor if the account's
// record cannot be read. Terraform passes no note to a creation.
func (w *world) canBeStranger(c *cli, st step) bool {
	if len(st.Strikes) > 0 && st.Flags&(withoutRefresh|planningTwice) != 0 {
		return false
	}
	for _, address := range c.addresses() {
		s := c.get(address)
		if !s.isNoted() || s.tainted && st.Flags&(withoutRefresh|planningTwice) != 0 { // no plan receives its note
			return false
		}
	}
	switch st.Verb {
	case apply, refresh, destroy, replace:
		return len(c.addresses()) > 0
	case targeted:
		blocks := c.blocks()
		if len(blocks) == 0 {
			return false
		}
		for address := range w.withReferences(c, blocks[st.Target%len(blocks)]) {
			if c.get(address) != nil {
				return true
			}
		}
	}
	return false
}

// asStranger runs a step with the other account's key. It checks that the step changes
// nothing and reports the reason.
func (w *world) asStranger(c *cli, st step, cmd *command, run func()) {
	before := c.copied()
	from := w.toldSoFar()
	run()
	after := c.copied()
	for _, address := range sortedNames(before) {
		switch now, there := after[address]; {
		case !there:
			w.violate(otherAccount, "%s has left the state", address)
		case !bytes.Equal(now.json, before[address].json) && !bytes.Equal(now.json, before[address].whenProtected()) || now.tainted != before[address].tainted:
			w.violate(otherAccount, "%s was %s in the state, and is %s", address, before[address].json, now.json)
		}
	}
	for _, address := range sortedNames(after) {
		if before[address] == nil {
			w.violate(otherAccount, "%s came into the state", address)
		}
	}
	if cmd.interrupted() || cmd.killed() || w.troubled() || w.scenario.Lag > 0 || st.Flags&(withoutRefresh|planningTwice) != 0 {
		return // it may have read nothing and planned no change
	}
	if !w.saidSince(from, "another account") {
		w.violate(otherAccount, "%s with a key of another account ends without an error that says so", st.Verb)
	}
}

// whenProtected returns the state with the protection on. An update can turn protection on
// without a request, so also when the account could not be read.
func (s *saved) whenProtected() []byte {
	return bytes.Replace(s.json, []byte(`"deletion_protection":false`), []byte(`"deletion_protection":true`), 1)
}

// isNoted reports whether an object's private state has a note of its account.
func (s *saved) isNoted() bool { return bytes.Contains(s.private, []byte(`"account":`)) }

// checkNotes checks that each object of a state has a note of its account.
func (w *world) checkNotes(c *cli) {
	for _, address := range c.addresses() {
		if !c.get(address).isNoted() {
			w.violate(otherAccount, "%s has no note of its account", address)
		}
	}
}

// copied returns a copy of the state by address.
func (c *cli) copied() map[string]*saved {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]*saved{}
	for address, s := range c.state {
		all[address] = s
	}
	return all
}

// toldSoFar returns the number of errors of all commands so far.
func (w *world) toldSoFar() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.errorTexts)
}

// saidSince reports whether one of the errors since then contains a text, in any case.
func (w *world) saidSince(from int, text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, said := range w.errorTexts[from:] {
		if strings.Contains(strings.ToLower(said), text) {
			return true
		}
	}
	return false
}
