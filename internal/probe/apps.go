package probe

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// probedApp is the name of the app that the probe imports and deletes.
const probedApp = "hosting-probe"

// tryApp imports an app, changes each of its settings and deletes it.
func (p *probe) tryApp(ctx context.Context, floors node) error {
	if on, err := p.engineIsOn(ctx, "apps"); err != nil || !on {
		return err
	}
	app, in := record+"/apps/{name}", map[string]string{"id": p.instance, "name": probedApp}
	memory := number(object(floors["apps"])["floor_mb"])
	shows := func(wanted node) func() (bool, error) {
		return p.showing(ctx, app, in, func(body any) bool {
			for field, value := range wanted {
				if found, held := object(body)[field].(float64); held && value != int(found) {
					return false
				} else if !held && field != "env" && object(body)[field] != value {
					return false
				}
			}
			return true
		})
	}
	body := node{
		"repo": p.options.Repo, "branch": p.options.Branch, "name": probedApp, "port": p.options.Port,
		"health_path": "/healthz", "public": true, "env": node{"HOSTING_PROBE": "1"},
	}
	if memory > 0 {
		body["memory_mb"] = memory
	}
	misnamed := maps.Clone(body)
	misnamed["name"] = "Hosting_Probe"
	if err := p.tryRule(ctx, "name of an app", call{method: http.MethodPost, url: record + "/apps/import", body: misnamed}); err != nil {
		return err
	}
	_, there, err := p.change(ctx, call{method: http.MethodPost, url: record + "/apps/import", body: body, want: http.StatusAccepted}, shows(node{"repo": p.options.Repo}))
	if err != nil || !there {
		return err
	}
	if err := p.awaitBuild(ctx, in); err != nil {
		return err
	}
	change := node{"port": p.options.Port + 1, "health_path": "/health", "public": false, "branch": p.options.Branch, "env": node{"HOSTING_PROBE": "2"}}
	if memory > 0 {
		change["memory_mb"] = memory
	}
	if _, _, err = p.change(ctx, call{method: http.MethodPatch, url: app, in: in, body: change, want: http.StatusAccepted}, shows(change)); err != nil {
		return err
	}
	if err := p.readApps(ctx, p.instance); err != nil {
		return err
	}
	for _, action := range []string{"redeploy", "restart"} {
		if _, _, err := p.change(ctx, call{method: http.MethodPost, url: app + "/actions/" + action, in: in, body: node{}, want: http.StatusAccepted}, nil); err != nil {
			return err
		}
	}
	if err := p.awaitBuild(ctx, in); err != nil {
		return err
	}
	if err := p.tryPaging(ctx, paged{app + "/builds", in, "Builds", "builds"}); err != nil {
		return err
	}
	_, _, err = p.change(ctx, call{method: http.MethodDelete, url: app, in: in, want: http.StatusAccepted},
		p.showing(ctx, record+"/apps", nil, func(body any) bool {
			return !slices.Contains(names(records(body, "apps"), "name"), probedApp)
		}))
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
