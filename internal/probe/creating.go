package probe

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// NamePrefix is the prefix of the name of every instance that a probe creates.
const NamePrefix = "hosting-probe-"

// tryChanges creates the instance, tries every change on it and deletes it, even if a
// step fails.
func (p *probe) tryChanges(ctx context.Context, a account) (err error) {
	plan, err := p.choosePlan(a.plans)
	if err != nil {
		return err
	}
	region := p.options.Region
	if region == "" {
		region = cmp.Or(append(names(a.locations, "id"), "")...)
	}
	defer func() { err = errors.Join(err, p.cleanUp(ctx, err == nil)) }()
	checkout, err := p.create(ctx, plan, region, a.floors)
	if err != nil {
		return err
	}
	if err := p.tryBusy(ctx); err != nil {
		return err
	}
	if checkout != "" {
		p.say("It waits for its checkout. Open this page to pay: %s", checkout)
	}
	if err := p.awaitRunning(ctx); err != nil {
		return err
	}
	for _, step := range p.steps(plan, a.floors) {
		p.say("Trying %s.", step.what)
		if err := step.try(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			p.say("  It could not be tried to its end: %s.", err)
		}
	}
	_, err = p.read(ctx, "/billing", nil)
	return err
}

// choosePlan returns the requested plan, or else the cheapest. A plan whose price cannot
// be read counts as paid.
func (p *probe) choosePlan(plans []node) (node, error) {
	price := func(plan node) int {
		cents, known := plan["price_cents"].(float64)
		if !known {
			return 1 << 30
		}
		return int(cents)
	}
	slices.SortStableFunc(plans, func(a, b node) int { return cmp.Compare(price(a), price(b)) })
	at := slices.IndexFunc(plans, func(plan node) bool {
		return text(plan["id"]) != "" && (p.options.Plan == "" || plan["id"] == p.options.Plan)
	})
	switch {
	case at < 0 && p.options.Plan != "":
		return nil, fmt.Errorf("the service lists no plan %q", p.options.Plan)
	case at < 0:
		return nil, errors.New("the service lists no plan that could be read")
	case price(plans[at]) > 0 && !p.options.Paid:
		return nil, fmt.Errorf("the plan %q costs money, so nothing was created; --paid allows it, and --plan names another", plans[at]["id"])
	}
	return plans[at], nil
}

// firstEngines returns the engines that a create request can turn on, or only postgres if
// all of them do not fit the plan.
func firstEngines(plan, floors node) []string {
	all := []string{"postgres", "apps", "auth"}
	sum := 0
	for _, name := range all {
		sum += number(object(floors[name])["floor_mb"])
	}
	if memory := number(plan["memory_mb"]); memory > 0 && sum > memory {
		return all[:1]
	}
	return all
}

// create sends the create request exactly once. If its answer is lost, create looks for
// the instance by its name. It returns the URL of the checkout, or "" if none is
// required.
func (p *probe) create(ctx context.Context, plan node, region string, floors node) (checkout string, err error) {
	engines := node{}
	for _, name := range firstEngines(plan, floors) {
		engines[name] = true
	}
	made := NamePrefix + time.Now().UTC().Format("20060102-150405-") + strings.ToLower(rand.Text()[:6])
	c := call{method: http.MethodPost, url: instances, want: http.StatusAccepted, body: node{
		"name": made, "plan": plan["id"], "region": region, "engines": engines, "tags": []any{"hosting-probe"},
	}}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	// From here on, an instance may exist. An interruption does not cancel the request, so
	// that its id becomes known.
	x, err := p.send(context.WithoutCancel(ctx), c)
	p.asked, p.name = true, made
	var answer node
	if err == nil && x.as() {
		answer = object(x.json)
		p.instance = text(answer["id"])
	}
	refused := err == nil && x.status >= 400 && x.status < 500 && x.enveloped()
	if p.instance == "" && !refused {
		answer = p.findLost(ctx)
		p.instance = text(answer["id"])
	}
	if p.instance == "" {
		if err != nil {
			return "", fmt.Errorf("the creation got no answer: %w", err)
		}
		if refused {
			p.name = "" // refused, so there is none
		}
		return "", fmt.Errorf("no instance was created that could be found: %s", x.answered())
	}
	p.say("%s is the instance %s, made for this probe on the plan %v; it is deleted at the end.", p.instance, made, plan["id"])
	if checkout = text(answer["checkout_url"]); checkout != "" && !p.options.Paid {
		return "", errors.New("the service asks for a checkout although the plan's price is 0; nothing is paid, and the instance is deleted")
	}
	return checkout, nil
}

// looksForLost is the number of times to look for an instance whose create request got no
// answer.
const looksForLost = 10

// findLost looks for the instance's record by its name. The service may execute a request
// after its answer was lost, so findLost looks several times.
func (p *probe) findLost(ctx context.Context) node {
	ctx = context.WithoutCancel(ctx)
	for range looksForLost {
		all, _ := p.all(ctx)
		for _, record := range all {
			if record["name"] == p.name {
				return record
			}
		}
		if pause(ctx, p.options.Poll) != nil {
			break
		}
	}
	return nil
}

// tryBusy changes the instance while it is being created.
func (p *probe) tryBusy(ctx context.Context) error {
	if _, err := p.read(ctx, "/instances/{id}", nil); err != nil {
		return err
	}
	_, err := p.send(ctx, call{
		method: http.MethodPatch, url: "/instances/{id}", body: node{"name": p.name},
		want: http.StatusConflict, what: "while the creation runs",
	})
	return err
}

// awaitRunning waits until the instance runs.
func (p *probe) awaitRunning(ctx context.Context) error {
	p.say("Waiting until it runs.")
	ctx, cancel := context.WithTimeoutCause(ctx, p.options.Wait, fmt.Errorf("the instance does not run after %s", p.options.Wait))
	defer cancel()
	for {
		x, err := p.read(ctx, "/instances/{id}", nil)
		if err != nil && ctx.Err() == nil {
			return err
		}
		record := object(x.json)
		if job := text(record["job_id"]); err == nil && job != "" {
			if _, err := p.read(ctx, "/jobs/{id}", map[string]string{"id": job}); err != nil && ctx.Err() == nil {
				return err
			}
		}
		switch strings.ToLower(text(record["status"])) {
		case "running":
			return nil
		case "failed":
			return errors.New("the creation failed")
		}
		if pause(ctx, p.options.Poll) != nil {
			return context.Cause(ctx)
		}
	}
}

// cleanUp deletes the instance. After an interruption of the run it continues until the
// instance is gone, Options.Abandon is closed or Options.Wait has passed.
func (p *probe) cleanUp(ctx context.Context, whole bool) error {
	if p.instance == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.options.Wait)
	defer cancel()
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-p.options.Abandon:
			cancel()
		case <-over:
		}
	}()
	p.say("Deleting %s. An interruption now leaves it.", p.instance)
	if whole {
		// The address contains only this instance's own id.
		_, _ = p.send(ctx, p.deletion("not-"+p.instance, http.StatusBadRequest))
	}
	for accepted := false; ; {
		if p.gone(ctx) {
			p.say("%s is gone.", p.instance)
			p.instance, p.name = "", ""
			return nil
		}
		if !accepted {
			x, err := p.send(ctx, p.deletion(p.instance, http.StatusAccepted))
			accepted = err == nil && x.as()
			if accepted {
				accepted = p.awaitJob(ctx, x) == nil
			}
		}
		if pause(ctx, p.options.Poll) != nil {
			return fmt.Errorf("%s is not deleted", p.instance)
		}
	}
}

func (p *probe) deletion(confirm string, want int) call {
	c := call{method: http.MethodDelete, url: "/instances/{id}", query: url.Values{"confirm": {confirm}}, want: want}
	if want != http.StatusAccepted {
		c.what = "with a confirm that is not the id"
	}
	return c
}

// gone reports whether the instance no longer exists, neither at its address nor in the
// list. A single answer might come from a gateway.
func (p *probe) gone(ctx context.Context) bool {
	x, err := p.send(ctx, call{method: http.MethodGet, url: "/instances/{id}", want: http.StatusNotFound, unjudged: true})
	if err != nil || x.status != http.StatusNotFound && x.status != http.StatusGone {
		return false
	}
	all, whole := p.all(ctx)
	if !whole || slices.Contains(names(all, "id"), p.instance) {
		return false
	}
	p.judge(x)
	return true
}

// all returns the account's instances from all pages. whole reports whether every page
// could be read.
func (p *probe) all(ctx context.Context) (all []node, whole bool) {
	c := call{method: http.MethodGet, url: instances, query: url.Values{}, want: http.StatusOK, unjudged: true}
	for {
		x, err := p.send(ctx, c)
		if err != nil || !x.as() {
			return all, false
		}
		all = append(all, records(x.json, "instances")...)
		cursor := text(object(x.json)["next_cursor"])
		if cursor == "" || cursor == c.query.Get("cursor") {
			return all, true
		}
		c.query.Set("cursor", cursor)
	}
}

// howToDelete describes how to delete an instance that is left.
func (p *probe) howToDelete() string {
	return fmt.Sprintf("The instance %s (%s) is left and may cost money. To delete it:\n"+
		"  curl -X DELETE -H \"Authorization: Bearer $HOSTING_API_KEY\" '%s/instances/%s?confirm=%s'",
		p.instance, p.name, p.base, p.instance, p.instance)
}

func (p *probe) mayBeLeft() string {
	return fmt.Sprintf("The creation of an instance got no answer and none was found. Look in the portal for one named %s, and delete it there.", p.name)
}
