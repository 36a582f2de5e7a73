package probe

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// step is a group of changes that the probe tries on the instance.
type step struct {
	what string
	try  func(context.Context) error
}

// steps returns the changes to try on an instance with a plan and the engines' floors.
// The most destructive ones come last.
func (p *probe) steps(plan, floors node) []step {
	steps := []step{
		{"a new name and tags", p.tryRename},
		{"what is refused", p.tryWrongChanges},
		{"names that the rules do not allow", p.tryWrongNames},
		{"a method that a path does not take", p.tryAnotherMethod},
		{"the allowlist", p.tryAllowlist},
		{"the SQL console", p.tryConsole},
		{"a database", p.tryDatabase},
		{"a Postgres extension", p.tryExtension},
		{"the auth settings", p.tryAuthSettings},
	}
	if p.options.Repo != "" {
		steps = append(steps, step{"an app", func(ctx context.Context) error { return p.tryApp(ctx, floors) }})
	}
	return append(steps,
		step{"to read all of the instance", func(ctx context.Context) error { return p.readInstance(ctx, p.instance) }},
		step{"a restart of an engine", p.tryRestart},
		step{"a rotation of passwords", p.tryRotation},
		step{"the plan that it has, once more", func(ctx context.Context) error { return p.tryResize(ctx, plan) }},
		step{"a reset and a restoration", p.tryReset},
		step{"the other engines", func(ctx context.Context) error { return p.tryEngines(ctx, plan, floors) }},
		step{"no engine at all", p.tryNoEngine},
	)
}

const record = "/instances/{id}"

func (p *probe) tryRename(ctx context.Context) error {
	// With this name, a person can still recognise the instance.
	renamed := p.name + "-renamed"
	var stored any
	_, took, err := p.change(ctx, call{
		method: http.MethodPatch, url: record, body: node{"name": renamed, "tags": []any{"hosting-probe", "Renamed"}}, want: http.StatusAccepted,
	}, p.showing(ctx, record, nil, func(body any) bool {
		stored = object(body)["tags"]
		return object(body)["name"] == renamed && listed(list(stored), "Renamed")
	}))
	if took {
		p.name = renamed
		p.findings.found(rulesAt+"form of values", has(stored, "Renamed"), "a tag has its letters in another case")
	}
	return err
}

// tryWrongChanges sends requests that a service must refuse. Each concerns only the
// probe's own instance, in case the service executes one.
func (p *probe) tryWrongChanges(ctx context.Context) error {
	for _, c := range []call{
		{method: http.MethodPatch, url: record, body: node{"hosting_probe": true}, want: http.StatusBadRequest, what: "with a field that there is not"},
		{method: http.MethodPut, url: record + "/allowlist", body: node{"allowlist": []any{"no-address"}}, want: http.StatusUnprocessableEntity, what: "with an address that is none"},
		{method: http.MethodPost, url: record + "/actions/reset", body: node{"confirm": "not-" + p.instance}, want: http.StatusBadRequest, what: "with a confirm that is not the id"},
	} {
		if err := p.refused(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (p *probe) tryAllowlist(ctx context.Context) error {
	const block, address = "203.0.113.0/24", "198.51.100.7" // reserved for documentation, so not in use
	path := record + "/allowlist"
	spelt := false
	x, _, err := p.change(ctx, call{method: http.MethodPut, url: path, body: node{"allowlist": []any{block, address + "/32"}}, want: http.StatusAccepted},
		p.showing(ctx, path, nil, func(body any) bool {
			stored := object(body)["allowlist"]
			spelt = has(stored, address) || has(stored, address+"/32")
			return has(stored, block)
		}))
	if err == nil && x.as() {
		p.findings.found(rulesAt+"spelling of addresses", spelt, "neither spelling of an address that was sent is stored")
	}
	return err
}

func (p *probe) tryConsole(ctx context.Context) error {
	query := call{method: http.MethodPost, url: record + "/engines/postgres/query", body: node{"sql": "SELECT 1 AS one"}, want: http.StatusForbidden, what: "while the console is off"}
	if err := p.refused(ctx, query); err != nil {
		return err
	}
	for _, twin := range []struct{ path, mode string }{{record + "/sql-console", "rw"}, {record + "/engines/postgres/console", "ro"}} {
		_, _, err := p.change(ctx, call{method: http.MethodPut, url: twin.path, body: node{"mode": twin.mode}, want: http.StatusAccepted},
			p.showing(ctx, twin.path, nil, func(body any) bool { return object(body)["mode"] == twin.mode }))
		if err != nil {
			return err
		}
	}
	x, err := p.read(ctx, record+"/postgres/databases", nil)
	if err != nil {
		return err
	}
	databases := names(records(x.json, "databases"), "name")
	body := node{"sql": "SELECT 1 AS one"}
	if len(databases) > 0 {
		body["database"] = databases[0]
	}
	query.body, query.want, query.what = body, http.StatusOK, ""
	if x, err = p.send(ctx, query); err != nil {
		return err
	}
	if x.as() || x.status == http.StatusBadRequest || x.status == http.StatusUnprocessableEntity {
		p.took(x, x.as(), x.answered()+" to "+x.said())
	}
	if !x.as() {
		return nil
	}
	query.body, query.want, query.what = node{"sql": "SELEC 1"}, http.StatusUnprocessableEntity, "with a statement that is none"
	return p.refused(ctx, query)
}

// probedDatabase is the name of the database that the probe creates and drops.
const probedDatabase = "hosting_probe"

func (p *probe) tryDatabase(ctx context.Context) error {
	path := record + "/postgres/databases"
	there := p.showing(ctx, path, nil, func(body any) bool {
		return slices.Contains(names(records(body, "databases"), "name"), probedDatabase)
	})
	// The second is sent before the first has finished.
	creation := call{method: http.MethodPost, url: path, body: node{"name": probedDatabase}, header: http.Header{"Idempotency-Key": {p.name}}, want: http.StatusAccepted}
	first, err := p.sendWhenFree(ctx, creation)
	if err != nil {
		return err
	}
	if first.as() {
		again := creation
		again.unjudged = true // the answer of a service that ignores the key does not matter
		second, err := p.send(ctx, again)
		if err != nil {
			return err
		}
		p.findings.found("#/components/parameters/IdempotencyKey", second.as() && jobOf(second.json) != "" && jobOf(second.json) == jobOf(first.json),
			"the same key does not give the first answer again: "+second.answered())
		if err := p.awaitJob(ctx, first); err != nil {
			return err
		}
	}
	seen, err := p.soon(ctx, there)
	if err != nil {
		return err
	}
	if first.as() || first.status == http.StatusBadRequest || first.status == http.StatusUnprocessableEntity {
		p.took(first, first.as() && seen, first.answered()+" and the database is not listed")
	}
	if !seen {
		return nil
	}
	creation.header, creation.want, creation.what = nil, http.StatusConflict, "with a name that is taken"
	return p.refused(ctx, creation)
}

// tryExtension sets and drops an extension in the probed database, and then drops the
// database.
func (p *probe) tryExtension(ctx context.Context) error {
	const extension = "pg_trgm"
	path, list := record+"/postgres/extensions/{name}", record+"/postgres/extensions"
	in := map[string]string{"id": p.instance, "name": extension}
	query := url.Values{"database": {probedDatabase}}
	// listed reads with the parameter database. Without it, the service lists all
	// extensions.
	listed := func(wanted bool) func() (bool, error) {
		return func() (bool, error) {
			x, err := p.send(ctx, call{method: http.MethodGet, url: list, query: query, want: http.StatusOK})
			if err != nil || !x.as() {
				return false, err
			}
			all := records(x.json, "extensions")
			alone := !slices.ContainsFunc(all, func(one node) bool { return one["database"] != probedDatabase })
			return alone && slices.Contains(names(all, "name"), extension) == wanted, nil
		}
	}
	_, there, err := p.change(ctx, call{method: http.MethodPut, url: path, in: in, body: node{"database": probedDatabase}, want: http.StatusAccepted}, listed(true))
	if err != nil {
		return err
	}
	if there {
		x, gone, err := p.change(ctx, call{method: http.MethodDelete, url: path, in: in, query: query, want: http.StatusAccepted}, listed(false))
		if err != nil {
			return err
		}
		if x.as() {
			p.findings.found("#/components/parameters/Database", gone, "names the database, and the extension is still there after its deletion")
		}
	}
	databases := record + "/postgres/databases"
	_, _, err = p.change(ctx, call{method: http.MethodDelete, url: databases + "/{name}", in: map[string]string{"id": p.instance, "name": probedDatabase}, want: http.StatusAccepted},
		p.showing(ctx, databases, nil, func(body any) bool {
			return !slices.Contains(names(records(body, "databases"), "name"), probedDatabase)
		}))
	return err
}

func (p *probe) tryAuthSettings(ctx context.Context) error {
	if on, err := p.engineIsOn(ctx, "auth"); err != nil || !on {
		return err
	}
	const site = "https://probe.example"
	path := record + "/engines/auth/settings"
	stored := ""
	_, took, err := p.change(ctx, call{method: http.MethodPatch, url: path, body: node{"site_url": site, "redirect_urls": []any{site + "/**"}}, want: http.StatusAccepted},
		p.showing(ctx, path, nil, func(body any) bool {
			stored = text(object(body)["site_url"])
			return strings.TrimSuffix(stored, "/") == site
		}))
	if took {
		p.findings.found(rulesAt+"form of values", stored == site, "a URL has a slash that was not sent")
	}
	return err
}

func (p *probe) engineIsOn(ctx context.Context, engine string) (bool, error) {
	x, err := p.read(ctx, record, nil)
	if err != nil {
		return false, err
	}
	return slices.Contains(engineSet(object(x.json)), engine), nil
}

func (p *probe) tryRestart(ctx context.Context) error {
	_, _, err := p.change(ctx, call{
		method: http.MethodPost, url: record + "/engines/{engine}/actions/restart", body: node{},
		in: map[string]string{"id": p.instance, "engine": "postgres"}, want: http.StatusAccepted,
	}, nil)
	return err
}

// tryResize requests the instance's current plan, so that it costs nothing. The service
// must refuse that.
func (p *probe) tryResize(ctx context.Context, plan node) error {
	x, err := p.sendWhenFree(ctx, call{method: http.MethodPost, url: record + "/actions/resize", body: node{"plan": plan["id"]}, want: http.StatusAccepted, unjudged: true})
	switch {
	case err != nil:
		return err
	case x.status == http.StatusUnprocessableEntity:
		p.took(x, true, "")
		return nil
	case x.as():
		p.judge(x)
		p.took(x, false, "is accepted for the present plan")
		return p.awaitJob(ctx, x)
	case x.status == http.StatusBadRequest:
		p.took(x, false, x.answered())
	}
	p.judge(x)
	return nil
}

func (p *probe) tryReset(ctx context.Context) error {
	backups := record + "/backups"
	var newest string
	listed := p.showing(ctx, backups, nil, func(body any) bool {
		newest = append(names(records(body, "backups"), "id"), "")[0]
		return newest != ""
	})
	_, _, err := p.change(ctx, call{
		method: http.MethodPost, url: record + "/actions/reset", body: node{"confirm": p.instance, "engine": "postgres"}, want: http.StatusAccepted,
	}, nil)
	if err != nil {
		return err
	}
	if there, err := p.soon(ctx, listed); err != nil || !there {
		return err
	}
	_, _, err = p.change(ctx, call{
		method: http.MethodPost, url: record + "/actions/restore", body: node{"confirm": p.instance, "backup_id": newest}, want: http.StatusAccepted,
	}, nil)
	return err
}

// tryEngines turns on the engines that a create request cannot turn on. It combines as
// many as fit the plan together with the engines that are on, until each was on or does
// not fit.
func (p *probe) tryEngines(ctx context.Context, plan, floors node) error {
	x, err := p.read(ctx, record, nil)
	if err != nil {
		return err
	}
	floor := func(name string) int { return number(object(floors[name])["floor_mb"]) }
	budgets, sum := node{}, 0
	for _, name := range engineSet(object(x.json)) {
		budgets[name] = node{"memory_mb": floor(name)}
		sum += floor(name)
	}
	memory := number(plan["memory_mb"])
	if memory > 0 {
		over := maps.Clone(budgets)
		over["postgres"] = node{"memory_mb": memory + 1}
		if err := p.tryRule(ctx, "budgets of engines", call{method: http.MethodPut, url: record + "/engines", body: node{"engines": over}}); err != nil {
			return err
		}
	}
	room := memory - sum
	for left := []string{"redis", "couchdb", "nats"}; len(left) > 0; {
		wanted, free, later := node{}, room, []string(nil)
		for name, budget := range budgets {
			wanted[name] = budget
		}
		for _, name := range left {
			if floor(name) == 0 || floor(name) > free {
				later = append(later, name)
				continue
			}
			free -= floor(name)
			wanted[name] = node{"memory_mb": floor(name)}
		}
		if len(later) == len(left) {
			return nil // none fits
		}
		left = later
		_, _, err := p.change(ctx, call{method: http.MethodPut, url: record + "/engines", body: node{"engines": wanted}, want: http.StatusAccepted},
			p.showing(ctx, record, nil, func(body any) bool {
				on := engineSet(object(body))
				return len(on) == len(wanted) && !slices.ContainsFunc(on, func(name string) bool { return wanted[name] == nil })
			}))
		if err != nil {
			return err
		}
		if _, err := p.read(ctx, record+"/connection", nil); err != nil {
			return err
		}
	}
	return nil
}
