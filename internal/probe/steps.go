package probe

import (
	"context"
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

// probed names the database and the app that the probe creates and deletes.
const (
	probedDatabase = "hosting_probe"
	probedApp      = "hosting-probe"
)

var inProbedDatabase = url.Values{"database": {probedDatabase}}

// steps returns the changes to try on an instance with a plan and the engines' floors.
// The most destructive ones come last.
func (p *probe) steps(plan, floors node) []step {
	extension, database := map[string]string{"name": "pg_trgm"}, map[string]string{"name": probedDatabase}
	inDatabase := node{"database": probedDatabase}
	steps := []step{
		{"a new name and tags", p.tryRename},
		{"what is refused", p.tryRefusedChanges},
		{"a method that a path does not take", p.tryAnotherMethod},
		p.step("the allowlist", http.MethodPut, "/allowlist", nil, nil),
		{"a query while the console is off", func(ctx context.Context) error { return p.tryQuery(ctx, http.StatusForbidden) }},
		p.step("the SQL console", http.MethodPut, "/sql-console", nil, nil),
		p.step("the SQL console at its other path", http.MethodPut, "/engines/postgres/console", node{"mode": "rw"}, nil),
		{"a query", func(ctx context.Context) error { return p.tryQuery(ctx, http.StatusOK) }},
		{"a database", p.tryDatabase},
		p.step("a Postgres extension", http.MethodPut, "/postgres/extensions/{name}", inDatabase, extension),
		{"to drop the extension", func(ctx context.Context) error {
			x, gone, err := p.try(ctx, http.MethodDelete, "/postgres/extensions/{name}", nil, extension)
			if err == nil && x.as() {
				p.findings.found("#/components/parameters/Database", gone, "names the database, and the extension is still there after its deletion")
			}
			return err
		}},
		p.step("to drop the database", http.MethodDelete, "/postgres/databases/{name}", nil, database),
		p.stepOf("auth", p.step("the auth settings", http.MethodPatch, "/engines/auth/settings", nil, nil)),
	}
	if p.options.Repo != "" {
		steps = append(steps, p.stepOf("apps", step{"an app", func(ctx context.Context) error { return p.tryApp(ctx, floors) }}))
	}
	return append(steps,
		step{"to read all of the instance", func(ctx context.Context) error { return p.readInstance(ctx, p.instance) }},
		p.step("a restart of an engine", http.MethodPost, "/engines/{engine}/actions/restart", nil, map[string]string{"engine": "postgres"}),
		step{"a rotation of passwords", p.tryRotation},
		step{"the plan that it has, once more", func(ctx context.Context) error { return p.tryResize(ctx, plan) }},
		step{"a reset and a restoration", p.tryReset},
		step{"the other engines", func(ctx context.Context) error { return p.tryEngines(ctx, plan, floors) }},
		step{"no engine at all", p.tryNoEngine},
	)
}

// step is a step of one change that needs nothing but its example.
func (p *probe) step(what, method, url string, with node, in map[string]string) step {
	return step{what, func(ctx context.Context) error {
		_, _, err := p.try(ctx, method, url, with, in)
		return err
	}}
}

// stepOf is a step for an instance that has an engine.
func (p *probe) stepOf(engine string, s step) step {
	return step{s.what, func(ctx context.Context) error {
		x, err := p.read(ctx, record, nil)
		if err != nil || !slices.Contains(engineSet(object(x.json)), engine) {
			return err
		}
		return s.try(ctx)
	}}
}

func (p *probe) tryRename(ctx context.Context) error {
	// With this name, a person can still recognise the instance.
	renamed := p.name + "-renamed"
	_, took, err := p.try(ctx, http.MethodPatch, "", node{"name": renamed}, nil)
	if took {
		p.name = renamed
	}
	return err
}

// tryDatabase creates a database, sends the request again with the same key before its job
// has ended, and then without the key.
func (p *probe) tryDatabase(ctx context.Context) error {
	creation := call{
		method: http.MethodPost, url: record + "/postgres/databases", body: node{"name": probedDatabase},
		in: map[string]string{"id": p.instance}, header: http.Header{"Idempotency-Key": {p.name}}, want: http.StatusAccepted,
	}
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
	seen, err := p.soon(ctx, func() (bool, error) { return p.shows(ctx, creation) })
	if err != nil {
		return err
	}
	if first.judged() {
		p.took(first, first.as() && seen, first.answered()+" and the database is not listed")
	}
	if !seen {
		return nil
	}
	creation.header, creation.want, creation.what = nil, http.StatusConflict, "with a name that is taken"
	_, err = p.send(ctx, creation)
	return err
}

// tryQuery sends an example of a query, and one with a syntax error.
func (p *probe) tryQuery(ctx context.Context, want int) error {
	query := call{method: http.MethodPost, url: record + "/engines/postgres/query", want: want}
	op, _ := p.document.operation(query.method, query.url)
	x, err := p.read(ctx, record+"/postgres/databases", nil)
	if err != nil {
		return err
	}
	with := node{"database": nil}
	if databases := names(records(x.json, "databases"), "name"); len(databases) > 0 {
		with["database"] = databases[0]
	}
	query.body = p.example(op, with)
	x, err = p.send(ctx, query)
	if err != nil || want == http.StatusForbidden {
		return err
	}
	if x.judged() {
		p.took(x, x.as(), x.answered()+" to "+x.said())
	}
	if !x.as() {
		return nil
	}
	query.body, query.want, query.what = node{"sql": "SELEC 1"}, http.StatusUnprocessableEntity, "with a statement that is none"
	_, err = p.send(ctx, query)
	return err
}

// tryApp imports an app, changes each of its settings and deletes it.
func (p *probe) tryApp(ctx context.Context, floors node) error {
	in := map[string]string{"id": p.instance, "name": probedApp}
	memory := object(floors["apps"])["floor_mb"]
	imported := node{"name": probedApp, "repo": p.options.Repo, "branch": p.options.Branch, "port": p.options.Port, "memory_mb": memory}
	const app = "/apps/{name}"
	_, there, err := p.try(ctx, http.MethodPost, "/apps/import", imported, nil)
	if err != nil || !there {
		return err
	}
	if err := p.awaitBuild(ctx, in); err != nil {
		return err
	}
	if _, _, err = p.try(ctx, http.MethodPatch, app, node{"branch": p.options.Branch, "port": p.options.Port + 1, "memory_mb": memory}, in); err != nil {
		return err
	}
	if err := p.readApps(ctx, p.instance); err != nil {
		return err
	}
	for _, action := range []string{"redeploy", "restart"} {
		if _, _, err := p.try(ctx, http.MethodPost, app+"/actions/"+action, nil, in); err != nil {
			return err
		}
	}
	if err := p.awaitBuild(ctx, in); err != nil {
		return err
	}
	builds := paged{record + app + "/builds", in, "Builds", "builds"}
	x, err := p.read(ctx, builds.url, in)
	if err != nil {
		return err
	}
	if err := p.tryPages(ctx, builds, names(records(x.json, builds.records), "id")); err != nil {
		return err
	}
	_, _, err = p.try(ctx, http.MethodDelete, app, nil, in)
	return err
}

// awaitBuild waits until no build of an app is in progress. The outcome of a build does
// not matter, because the repository may be any.
func (p *probe) awaitBuild(ctx context.Context, in map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, p.options.Wait)
	defer cancel()
	for {
		x, err := p.read(ctx, record+"/apps/{name}/builds", in)
		if err != nil {
			return err
		}
		going := slices.ContainsFunc(records(x.json, "builds"), func(build node) bool {
			status := strings.ToLower(text(build["status"]))
			return build["finished_at"] == nil && (status == "queued" || status == "running")
		})
		if !going {
			return nil
		}
		if err := pause(ctx, p.options.Poll); err != nil {
			return err
		}
	}
}

// tryResize requests the instance's current plan, so that it costs nothing. The service
// must refuse that.
func (p *probe) tryResize(ctx context.Context, plan node) error {
	x, err := p.sendWhenFree(ctx, call{method: http.MethodPost, url: record + "/actions/resize", body: node{"plan": plan["id"]}, want: http.StatusAccepted, unjudged: true})
	if err != nil {
		return err
	}
	if x.judged() {
		p.took(x, x.status == http.StatusUnprocessableEntity, x.answered()+" for the present plan")
	}
	if x.as() {
		err = p.awaitJob(ctx, x)
	}
	return err
}

func (p *probe) tryReset(ctx context.Context) error {
	if _, _, err := p.try(ctx, http.MethodPost, "/actions/reset", node{"confirm": p.instance}, nil); err != nil {
		return err
	}
	newest := ""
	there, err := p.soon(ctx, func() (bool, error) {
		x, err := p.read(ctx, record+"/backups", nil)
		if err == nil && x.as() {
			newest = append(names(records(x.json, "backups"), "id"), "")[0]
		}
		return newest != "", err
	})
	if err != nil || !there {
		return err
	}
	_, _, err = p.try(ctx, http.MethodPost, "/actions/restore", node{"confirm": p.instance, "backup_id": newest}, nil)
	return err
}

// tryEngines turns on the engines that a create request cannot turn on, each next to
// Postgres, if they fit the plan.
func (p *probe) tryEngines(ctx context.Context, plan, floors node) error {
	floor := func(name string) int { return number(object(floors[name])["floor_mb"]) }
	memory := number(plan["memory_mb"])
	if memory > 0 {
		over := node{"postgres": node{"memory_mb": memory + 1}}
		if err := p.tryRule(ctx, "budgets of engines", call{method: http.MethodPut, url: record + "/engines", body: node{"engines": over}}); err != nil {
			return err
		}
	}
	for _, others := range [][]string{{"redis"}, {"couchdb"}, {"nats"}, {"apps"}, {"apps", "auth"}} {
		wanted, sum := node{}, 0
		for _, name := range append(others, "postgres") {
			wanted[name] = node{"memory_mb": floor(name)}
			sum += floor(name)
		}
		if floor(others[len(others)-1]) == 0 || sum > memory {
			continue
		}
		if _, _, err := p.try(ctx, http.MethodPut, "/engines", node{"engines": wanted}, nil); err != nil {
			return err
		}
		if _, err := p.read(ctx, record+"/connection", nil); err != nil {
			return err
		}
	}
	return nil
}
