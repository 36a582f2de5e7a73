package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// instancesRead is the maximum number of the account's instances that are read
// completely.
const instancesRead = 3

// account is the data of the account that later steps use.
type account struct {
	plans     []node
	floors    node
	locations []node
	instances []string // ids
}

// read sends a GET for which the document has the status 200.
func (p *probe) read(ctx context.Context, path string, in map[string]string) (*exchange, error) {
	return p.send(ctx, call{method: http.MethodGet, url: path, in: in, want: http.StatusOK})
}

// readAccount reads everything that the document reads without an id, and the webhook
// endpoints.
func (p *probe) readAccount(ctx context.Context) (account, error) {
	answers := map[string]*exchange{}
	for _, op := range p.document.operations() {
		if op.method != http.MethodGet || strings.Contains(op.url, "{") {
			continue
		}
		x, err := p.read(ctx, op.url, nil)
		switch {
		case err != nil:
			return account{}, fmt.Errorf("the service cannot be asked: %w", err)
		case x.status == http.StatusUnauthorized, x.status == http.StatusForbidden && op.url == "/plans": // every key may read plans
			return account{}, errRefusedKey
		}
		answers[op.url] = x
	}
	plans, endpoints := answers["/plans"].json, records(answers["/webhooks"].json, "webhooks")
	all := names(records(answers[instances].json, "instances"), "id")
	a := account{
		plans: records(object(plans)["plans"], "plans"), floors: object(object(plans)["engines"]),
		locations: records(answers["/locations"].json, "locations"), instances: all[:min(len(all), instancesRead)],
	}
	p.hidesSecrets(endpoints)
	ids := names(endpoints, "id")
	for _, id := range ids[:min(len(ids), instancesRead)] {
		if _, err := p.read(ctx, "/webhooks/{id}", map[string]string{"id": id}); err != nil {
			return a, err
		}
	}
	return a, errors.Join(
		p.tryConditional(ctx, answers["/locations"]), p.tryMethods(ctx), p.tryRefusals(ctx),
		p.tryPages(ctx, paged{url: "/billing", schema: "Billing", records: "charges"}, names(records(answers["/billing"].json, "charges"), "id")),
		p.tryPages(ctx, paged{url: instances, schema: "Instances", records: "instances"}, all))
}

// tryConditional repeats a read with the ETag of its answer.
func (p *probe) tryConditional(ctx context.Context, before *exchange) error {
	tag := before.header.Get("ETag")
	if tag == "" {
		return nil
	}
	x, err := p.send(ctx, call{
		method: http.MethodGet, url: before.url, header: http.Header{"If-None-Match": {tag}},
		want: http.StatusNotModified, what: "with the ETag of the answer before",
	})
	if err == nil && x.as() {
		p.findings.holds("#/components/parameters/IfNoneMatch")
	}
	return err
}

// tryRefusals sends reads that the service must refuse.
func (p *probe) tryRefusals(ctx context.Context) error {
	for _, c := range []call{
		{url: "/me", header: http.Header{"Authorization": {"Bearer no-key-of-this-service"}}, want: http.StatusUnauthorized, what: "with a key that is none"},
		{url: "/instances/{id}", in: map[string]string{"id": "hosting-probe-no-such-instance"}, want: http.StatusNotFound, what: "of an instance that is not there"},
		{url: instances, query: url.Values{"limit": {"many"}}, want: http.StatusBadRequest, what: "with a limit that is no number"},
	} {
		c.method = http.MethodGet
		if _, err := p.send(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// paged is a paged list.
type paged struct {
	url string
	in  map[string]string
	// schema is the name of the answer's schema, and records the name of its list.
	schema, records string
}

// tryPages reads a list with one record per page. all are the known ids; with fewer than
// two there is nothing to check.
func (p *probe) tryPages(ctx context.Context, l paged, all []string) error {
	if len(all) < 2 {
		return nil
	}
	page := call{method: http.MethodGet, url: l.url, in: l.in, query: url.Values{"limit": {"1"}}, want: http.StatusOK, what: "with limit=1"}
	x, err := p.send(ctx, page)
	if err != nil || !x.as() {
		return err
	}
	first := names(records(x.json, l.records), "id")
	p.findings.found("#/components/parameters/Limit", len(first) == 1, fmt.Sprintf("limit=1 gives %d %s", len(first), l.records))
	cursor := text(object(x.json)["next_cursor"])
	if cursor == "" {
		if len(first) == 1 {
			p.findings.differsHow(join("#/components/schemas", l.schema, "properties", "next_cursor"), "is missing where there are more")
		}
		return nil
	}
	page.query.Set("cursor", cursor)
	page.what = "with limit=1 and the cursor of the page before"
	if x, err = p.send(ctx, page); err != nil || !x.as() {
		return err
	}
	second := names(records(x.json, l.records), "id")
	p.findings.found("#/components/parameters/Cursor", len(second) == 1 && !slices.Equal(first, second), "the next page is not one with the next of the "+l.records)
	return nil
}

// readInstance reads everything of one instance.
func (p *probe) readInstance(ctx context.Context, id string) error {
	in := map[string]string{"id": id}
	x, err := p.read(ctx, "/instances/{id}", in)
	if err != nil || !x.as() {
		return err
	}
	record := object(x.json)
	if job := text(record["job_id"]); job != "" {
		if _, err := p.read(ctx, "/jobs/{id}", map[string]string{"id": job}); err != nil {
			return err
		}
	}
	if strings.ToLower(text(record["status"])) != "running" {
		return nil // the paths below answer only for a running machine
	}
	engines := engineSet(record)
	for _, op := range p.document.operations() {
		below, is := strings.CutPrefix(op.url, "/instances/{id}/")
		if op.method != http.MethodGet || !is || strings.Contains(below, "{") || !answersWith(engines, below) {
			continue
		}
		if _, err := p.read(ctx, op.url, in); err != nil {
			return err
		}
	}
	if slices.Contains(engines, "apps") {
		return p.readApps(ctx, id)
	}
	return nil
}

// answersWith reports whether an instance with these engines answers a path below it.
func answersWith(engines []string, below string) bool {
	for engine, words := range map[string][]string{"postgres": {"postgres", "sql-console"}, "auth": {"auth"}, "apps": {"apps"}} {
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(below, word) }) {
			return slices.Contains(engines, engine)
		}
	}
	return true
}

// readApps reads the apps of an instance.
func (p *probe) readApps(ctx context.Context, id string) error {
	x, err := p.read(ctx, "/instances/{id}/apps", map[string]string{"id": id})
	if err != nil {
		return err
	}
	for _, app := range names(records(x.json, "apps"), "name") {
		for _, path := range []string{"/instances/{id}/apps/{name}", "/instances/{id}/apps/{name}/builds"} {
			if _, err := p.read(ctx, path, map[string]string{"id": id, "name": app}); err != nil {
				return err
			}
		}
	}
	return nil
}
