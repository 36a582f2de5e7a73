package simulation

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// slowStatement is the duration of a statement at a service with slow statements. It is
// longer than the client waits for an answer to any other request.
const slowStatement = 3 * time.Minute

// unknownScript is the part of an error which says that it is unknown whether a script ran.
const unknownScript = "It is unknown whether the script ran"

// query executes a statement of the console by counting it.
func (w *world) query(ctx context.Context, q fakeservice.Query) (fakeservice.QueryResult, error) {
	c := callOf(ctx)
	if c != nil {
		c.mu.Lock()
		c.sql[q.SQL]++
		n := c.sql[q.SQL]
		c.mu.Unlock()
		if n > 1 {
			w.violate(statedOnce, "%s of %s ran %q %d times", c.what, c.address, q.SQL, n)
		}
		if of := c.cli.unknownOutcome(c.address); of != nil && of != c {
			w.violate(statedOnce, "%s of %s ran %q, and nobody has said whether %s ran it before", c.what, c.address, q.SQL, of.what)
		}
	}
	if q.Mode != "rw" {
		return fakeservice.QueryResult{}, &fakeservice.SQLError{Message: "cannot execute CREATE in a read-only transaction", SQLState: "25006"}
	}
	if c != nil {
		c.mu.Lock()
		c.ran = true
		c.mu.Unlock()
	}
	if w.scenario.Habits&slowStatements != 0 {
		w.countOnce(habitual(slowStatements))
		time.Sleep(slowStatement)
	}
	return fakeservice.QueryResult{Command: "CREATE"}, nil
}

// doubt records a call of a script that ends with an unknown outcome.
func (c *cli) doubt(of *call, told []*tfprotov6.Diagnostic) {
	isUnknown := func(d *tfprotov6.Diagnostic) bool { return strings.Contains(d.Summary, unknownScript) }
	if of.what == "delete" || !slices.ContainsFunc(told, isUnknown) {
		return
	}
	c.world.countOnce(scriptUnknown)
	if !c.world.troubled() && !of.process.command.interrupted() {
		c.world.violate(seenToItsEnd, "%s of %s lost its answer, and nothing went wrong on the way", of.what, of.address)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unknownOutcomes[of.address] = of
}

// unknownOutcome returns the call after which it is unknown whether the script at an
// address ran, or nil.
func (c *cli) unknownOutcome(address string) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unknownOutcomes[address]
}

// decided forgets that an outcome is unknown.
func (c *cli) decided(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.unknownOutcomes, address)
}

// decides acts like a person who has checked whether the scripts of unknown outcome ran. It
// reports whether there were any.
func (w *world) decides(c *cli) bool {
	c.mu.Lock()
	unknown := maps.Clone(c.unknownOutcomes)
	c.mu.Unlock()
	for _, address := range sortedNames(unknown) {
		of, cmd := unknown[address], newCommand(cut{})
		of.mu.Lock()
		ran := of.ran
		of.mu.Unlock()
		switch {
		case !ran:
			w.tell("%s: state rm %s", c.name, address)
			c.save(cmd, address, nil)
		case of.what == "create":
			w.tell("%s: untaint %s", c.name, address)
			s := *c.get(address)
			s.tainted = false
			c.save(cmd, address, &s)
		default:
			w.tell("%s: apply -refresh-only", c.name)
			w.refresh(c, cmd)
		}
		c.decided(address)
	}
	return len(unknown) > 0
}
