package probe

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// rulesAt is where the document has the rules that do not belong to a single operation, field
// or answer.
const (
	rulesAt         = "#/x-rules/"
	wordsOfStatuses = rulesAt + "words of statuses"
)

// settles records whether an answer follows a rule. Errors of an overloaded or failing
// service do not count.
func (p *probe) settles(rule string, x *exchange, want int) {
	if x.status < http.StatusInternalServerError && x.status != http.StatusTooManyRequests {
		p.findings.found(rulesAt+rule, x.status == want, x.answered()+" to "+x.said())
	}
}

// tryMethods reads with the authorization scheme in lower case, and with HEAD.
func (p *probe) tryMethods(ctx context.Context) error {
	c := call{method: http.MethodGet, url: "/me", want: http.StatusOK, unjudged: true}
	c.header, c.what = http.Header{"Authorization": {"bearer " + p.options.APIKey}}, "with the scheme in lower case"
	x, err := p.send(ctx, c)
	if err != nil {
		return err
	}
	p.settles("authorization scheme", x, http.StatusOK)
	c.header, c.sent, c.what = nil, http.MethodHead, "with the method HEAD"
	if x, err = p.send(ctx, c); err != nil {
		return err
	}
	p.settles("HEAD", x, http.StatusOK)
	return nil
}

// tryAnotherMethod sends a method that a path does not support.
func (p *probe) tryAnotherMethod(ctx context.Context) error {
	x, err := p.send(ctx, call{
		method: http.MethodGet, sent: http.MethodPost, url: record + "/connection", body: node{},
		want: http.StatusMethodNotAllowed, what: "with the method POST", unjudged: true,
	})
	if err == nil {
		p.settles("another method", x, http.StatusMethodNotAllowed)
	}
	return err
}

// tryRule sends a change that the service must refuse according to a rule.
func (p *probe) tryRule(ctx context.Context, rule string, c call) error {
	c.want, c.what, c.unjudged = http.StatusAccepted, "against the rule", true
	x, err := p.sendWhenFree(ctx, c)
	if err != nil {
		return err
	}
	p.settles(rule, x, http.StatusUnprocessableEntity)
	if x.as() {
		return p.awaitJob(ctx, x)
	}
	return nil
}

// tryRefusedChanges sends requests that a service must refuse: with a status that the
// document has, or by a rule. Each concerns only the probe's own instance, in case the
// service executes one.
func (p *probe) tryRefusedChanges(ctx context.Context) error {
	for _, c := range []call{
		{method: http.MethodPatch, url: record, body: node{"hosting_probe": true}, want: http.StatusBadRequest, what: "with a field that there is not"},
		{method: http.MethodPut, url: record + "/allowlist", body: node{"allowlist": []any{"no-address"}}, want: http.StatusUnprocessableEntity, what: "with an address that is none"},
		{method: http.MethodPost, url: record + "/actions/reset", body: node{"confirm": "not-" + p.instance}, want: http.StatusBadRequest, what: "with a confirm that is not the id"},
	} {
		if _, err := p.send(ctx, c); err != nil {
			return err
		}
	}
	for _, against := range []struct {
		rule, method, url, field string
		value                    any
	}{
		{"name of an instance", http.MethodPatch, "", "name", p.name + strings.Repeat("x", 100)},
		{"tags", http.MethodPatch, "", "tags", []any{strings.Repeat("x", 65)}},
		{"name of a database", http.MethodPost, "/postgres/databases", "name", "Hosting-Probe"},
		{"name of an app", http.MethodPost, "/apps/import", "name", "Hosting_Probe"},
	} {
		c := call{method: against.method, url: record + against.url}
		op, _ := p.document.operation(c.method, c.url)
		c.body = p.example(op, node{against.field: against.value})
		if against.rule == "name of an app" && p.options.Repo == "" {
			continue
		}
		if err := p.tryRule(ctx, against.rule, c); err != nil {
			return err
		}
	}
	return nil
}

// tryRotation rotates all passwords.
func (p *probe) tryRotation(ctx context.Context) error {
	const connection = record + "/connection"
	before, err := p.read(ctx, connection, nil)
	if err != nil || !before.as() {
		return err
	}
	x, _, err := p.try(ctx, http.MethodPost, "/actions/rotate", nil, nil)
	if err != nil || !x.as() {
		return err
	}
	rotated, err := p.soon(ctx, func() (bool, error) {
		after, err := p.read(ctx, connection, nil)
		return err == nil && after.as() && isRotated(before.json, after.json), err
	})
	if err == nil {
		p.findings.found(rulesAt+"rotation", rotated, "a URL or the service key stays as it was, or the anon key does not")
	}
	return err
}

// isRotated reports whether a connection record has different passwords than before and
// the same anon key.
func isRotated(before, after any) bool {
	field := func(record any, engine, name string) string {
		return text(object(object(object(record)["engines"])[engine])[name])
	}
	for _, secret := range [][2]string{{"postgres", "owner_url"}, {"postgres", "readonly_url"}, {"auth", "service_key"}} {
		was := field(before, secret[0], secret[1])
		if was != "" && field(after, secret[0], secret[1]) == was {
			return false
		}
	}
	return field(before, "auth", "anon_key") == field(after, "auth", "anon_key")
}

// tryNoEngine turns every engine off.
func (p *probe) tryNoEngine(ctx context.Context) error {
	x, off, err := p.try(ctx, http.MethodPut, "/engines", node{"engines": node{}}, nil)
	if err == nil {
		p.findings.found(rulesAt+"no engine", off, x.answered()+" to "+x.said()+" with none")
	}
	return err
}

// hidesSecrets records whether the records of endpoints lack the secret.
func (p *probe) hidesSecrets(endpoints []node) {
	for _, endpoint := range endpoints {
		p.findings.found(rulesAt+"secret of an endpoint", endpoint["secret"] == nil, "GET /webhooks has it, too")
	}
}

// listed reports whether a value is one of the document's values, ignoring case.
func listed(values []any, value any) bool {
	word, isText := value.(string)
	return slices.ContainsFunc(values, func(one any) bool {
		return one == value || isText && strings.EqualFold(text(one), word)
	})
}
