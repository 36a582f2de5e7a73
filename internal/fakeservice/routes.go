package fakeservice

import (
	"net/http"
	"net/url"
	"strings"
)

// handler answers a call. It runs with the store locked, and what it returns
// shares nothing with the state.
type handler func(*state, *call) response

// route is one operation of the API.
type route struct {
	method, pattern string
	handle          handler
}

// routes is every operation of the contract, in its order.
func routes() []route {
	return []route{
		{"GET", "/instances", (*state).listInstances},
		{"POST", "/instances", (*state).createInstance},
		{"GET", "/instances/{id}", (*state).getInstance},
		{"PATCH", "/instances/{id}", (*state).updateInstance},
		{"DELETE", "/instances/{id}", (*state).deleteInstance},
		{"PUT", "/instances/{id}/engines", (*state).setEngines},
		{"GET", "/instances/{id}/allowlist", (*state).getAllowlist},
		{"PUT", "/instances/{id}/allowlist", (*state).setAllowlist},
		{"GET", "/instances/{id}/sql-console", (*state).getConsole},
		{"PUT", "/instances/{id}/sql-console", (*state).setConsole},
		{"GET", "/instances/{id}/engines/postgres/console", (*state).getConsole},
		{"PUT", "/instances/{id}/engines/postgres/console", (*state).setConsole},
		{"POST", "/instances/{id}/actions/rotate", (*state).rotate},
		{"POST", "/instances/{id}/actions/resize", (*state).resize},
		{"POST", "/instances/{id}/actions/reset", (*state).reset},
		{"POST", "/instances/{id}/actions/restore", (*state).restore},
		{"POST", "/instances/{id}/engines/{engine}/actions/restart", (*state).restartEngine},
		{"GET", "/instances/{id}/backups", (*state).listBackups},
		{"GET", "/instances/{id}/connection", (*state).getConnection},

		{"POST", "/instances/{id}/engines/postgres/query", (*state).query},
		{"GET", "/instances/{id}/postgres/databases", (*state).listDatabases},
		{"POST", "/instances/{id}/postgres/databases", (*state).createDatabase},
		{"DELETE", "/instances/{id}/postgres/databases/{name}", (*state).dropDatabase},
		{"GET", "/instances/{id}/postgres/extensions", (*state).listExtensions},
		{"PUT", "/instances/{id}/postgres/extensions/{name}", (*state).setExtension},
		{"DELETE", "/instances/{id}/postgres/extensions/{name}", (*state).dropExtension},

		{"POST", "/instances/{id}/apps/import", (*state).importApp},
		{"GET", "/instances/{id}/apps", (*state).listApps},
		{"GET", "/instances/{id}/apps/{name}", (*state).getApp},
		{"PATCH", "/instances/{id}/apps/{name}", (*state).updateApp},
		{"DELETE", "/instances/{id}/apps/{name}", (*state).deleteApp},
		{"GET", "/instances/{id}/apps/{name}/builds", (*state).listBuilds},
		{"POST", "/instances/{id}/apps/{name}/actions/redeploy", (*state).redeployApp},
		{"POST", "/instances/{id}/apps/{name}/actions/restart", (*state).restartApp},

		{"GET", "/instances/{id}/engines/auth/settings", (*state).getAuthSettings},
		{"PATCH", "/instances/{id}/engines/auth/settings", (*state).updateAuthSettings},

		{"GET", "/jobs/{id}", (*state).getJob},
		{"GET", "/plans", (*state).listPlans},
		{"GET", "/locations", (*state).listLocations},
		{"GET", "/me", (*state).getAccount},
		{"PATCH", "/me", (*state).updateAccount},
		{"GET", "/billing", (*state).getBilling},
		{"GET", "/guides/apps", (*state).getGuide},
		{"GET", "/webhooks", (*state).listWebhooks},
		{"POST", "/webhooks", (*state).createWebhook},
		{"GET", "/webhooks/{id}", (*state).getWebhook},
		{"PATCH", "/webhooks/{id}", (*state).updateWebhook},
		{"DELETE", "/webhooks/{id}", (*state).deleteWebhook},
	}
}

// findRoute matches an escaped path below the base address. The library's own
// mux would answer a path that it does not like with a redirect, which a client
// of this API must never see.
func findRoute(table []route, method, path string) (*route, map[string]string) {
	for i := range table {
		if table[i].method != method {
			continue
		}
		if params, ok := matchPattern(table[i].pattern, path); ok {
			return &table[i], params
		}
	}
	return nil, nil
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
	service *Service
	request *http.Request
	route   *route
	params  map[string]string
	query   url.Values
	body    []byte
	// root is the address at which the caller found the fake, for URLs that
	// lead back to it.
	root string
}

// param is an element of the path, unescaped.
func (c *call) param(name string) string { return c.params[name] }
