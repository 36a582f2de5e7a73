package rest

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// route is one operation of the API.
type route struct {
	method, pattern string
	handle          func(*call) response
}

// routes is every operation of the contract, in its order.
var routes = []route{
	{"GET", "/instances", listInstances},
	{"POST", "/instances", createInstance},
	{"GET", "/instances/{id}", getInstance},
	{"PATCH", "/instances/{id}", updateInstance},
	{"DELETE", "/instances/{id}", deleteInstance},
	{"PUT", "/instances/{id}/engines", setEngines},
	{"GET", "/instances/{id}/allowlist", getAllowlist},
	{"PUT", "/instances/{id}/allowlist", setAllowlist},
	{"GET", "/instances/{id}/sql-console", getConsole},
	{"PUT", "/instances/{id}/sql-console", setConsole},
	{"GET", "/instances/{id}/engines/postgres/console", getConsole},
	{"PUT", "/instances/{id}/engines/postgres/console", setConsole},
	{"POST", "/instances/{id}/actions/rotate", rotate},
	{"POST", "/instances/{id}/actions/resize", resize},
	{"POST", "/instances/{id}/actions/reset", reset},
	{"POST", "/instances/{id}/actions/restore", restore},
	{"POST", "/instances/{id}/engines/{engine}/actions/restart", restartEngine},
	{"GET", "/instances/{id}/backups", listBackups},
	{"GET", "/instances/{id}/connection", getConnection},

	{"POST", "/instances/{id}/engines/postgres/query", query},
	{"GET", "/instances/{id}/postgres/databases", listDatabases},
	{"POST", "/instances/{id}/postgres/databases", createDatabase},
	{"DELETE", "/instances/{id}/postgres/databases/{name}", dropDatabase},
	{"GET", "/instances/{id}/postgres/extensions", listExtensions},
	{"PUT", "/instances/{id}/postgres/extensions/{name}", setExtension},
	{"DELETE", "/instances/{id}/postgres/extensions/{name}", dropExtension},

	{"POST", "/instances/{id}/apps/import", importApp},
	{"GET", "/instances/{id}/apps", listApps},
	{"GET", "/instances/{id}/apps/{name}", getApp},
	{"PATCH", "/instances/{id}/apps/{name}", updateApp},
	{"DELETE", "/instances/{id}/apps/{name}", deleteApp},
	{"GET", "/instances/{id}/apps/{name}/builds", listBuilds},
	{"POST", "/instances/{id}/apps/{name}/actions/redeploy", redeployApp},
	{"POST", "/instances/{id}/apps/{name}/actions/restart", restartApp},

	{"GET", "/instances/{id}/engines/auth/settings", getAuthSettings},
	{"PATCH", "/instances/{id}/engines/auth/settings", updateAuthSettings},

	{"GET", "/jobs/{id}", getJob},
	{"GET", "/plans", listPlans},
	{"GET", "/locations", listLocations},
	{"GET", "/me", getAccount},
	{"PATCH", "/me", updateAccount},
	{"GET", "/billing", getBilling},
	{"GET", "/guides/apps", getGuide},
	{"GET", "/webhooks", listWebhooks},
	{"POST", "/webhooks", createWebhook},
	{"GET", "/webhooks/{id}", getWebhook},
	{"PATCH", "/webhooks/{id}", updateWebhook},
	{"DELETE", "/webhooks/{id}", deleteWebhook},
}

// findRoute matches an escaped path below the base address. The library's own
// mux would answer a path that it does not like with a redirect, which a client
// of this API must never see.
func (a *API) findRoute(method, path string) (*route, map[string]string) {
	pattern, params := a.findPattern(path)
	for i := range a.routes {
		if a.routes[i].method == method && a.routes[i].pattern == pattern {
			return &a.routes[i], params
		}
	}
	return nil, nil
}

// findPattern returns the pattern of a path, "" if there is none. Of two patterns the one
// with fewer parameters counts: the address of an import is that of no app.
func (a *API) findPattern(path string) (pattern string, params map[string]string) {
	for _, one := range a.routes {
		if found, ok := matchPattern(one.pattern, path); ok && (pattern == "" || len(found) < len(params)) {
			pattern, params = one.pattern, found
		}
	}
	return pattern, params
}

// methods are those that an escaped path below the base address takes, none if there
// is no such path.
func (a *API) methods(path string) []string {
	pattern, _ := a.findPattern(path)
	var allowed []string
	for _, one := range a.routes {
		if one.pattern != pattern {
			continue
		}
		if allowed = append(allowed, one.method); one.method == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	return allowed
}

func matchPattern(pattern, path string) (map[string]string, bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	params := map[string]string{}
	for i, part := range want {
		value, err := url.PathUnescape(have[i])
		if err != nil {
			return nil, false
		}
		if name, ok := strings.CutPrefix(part, "{"); ok {
			if value == "" {
				return nil, false
			}
			params[strings.TrimSuffix(name, "}")] = value
		} else if part != value {
			return nil, false
		}
	}
	return params, true
}

// call is a request as handlers see it.
type call struct {
	service *core.Service
	request *http.Request
	// portal is the address of the portal's pages.
	portal string
	route  *route
	params map[string]string
	query  url.Values
	body   []byte
}

// param is an element of the path, unescaped; instance is that of the instance.
func (c *call) param(name string) string { return c.params[name] }
func (c *call) instance() string         { return c.params["id"] }

func (c *call) context() context.Context { return c.request.Context() }
