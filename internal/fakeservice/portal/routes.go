package portal

import "slices"

// does has the operations of the API document ("GET /me") that a page or a form does. The
// API has none for deliveries, and a key can neither make keys nor revoke access.
type does []string

// pageRoutes has the pages after sign-in. The first page of an operation shows its record.
var pageRoutes = []pageRoute{
	{"/plans", showPlans, does{"GET /plans", "GET /locations"}},
	{"/instances", showInstances, does{"GET /instances"}},
	{"/instances/new", showNewInstance, does{"GET /plans", "GET /locations"}},
	{"/instances/{id}", showOverview, does{"GET /instances/{id}"}},
	{"/instances/{id}/engines", showEngines, does{"GET /plans"}},
	{"/instances/{id}/allowlist", showAllowlist, does{"GET /instances/{id}/allowlist"}},
	{"/instances/{id}/console", showConsole, does{"GET /instances/{id}/sql-console", "GET /instances/{id}/engines/postgres/console"}},
	{"/instances/{id}/databases", showDatabases, does{"GET /instances/{id}/postgres/databases", "GET /instances/{id}/postgres/extensions"}},
	{"/instances/{id}/apps", showApps, does{"GET /instances/{id}/apps"}},
	{"/instances/{id}/apps/{name}", showApp, does{"GET /instances/{id}/apps/{name}", "GET /instances/{id}/apps/{name}/builds"}},
	{"/instances/{id}/apps/{name}/builds/{build}", showBuild, does{"GET /instances/{id}/apps/{name}/builds"}},
	{"/instances/{id}/auth", showAuth, does{"GET /instances/{id}/engines/auth/settings"}},
	{"/instances/{id}/connection", showConnection, does{"GET /instances/{id}/connection"}},
	{"/instances/{id}/backups", showBackups, does{"GET /instances/{id}/backups"}},
	{"/instances/{id}/settings", showSettings, does{"GET /plans"}},
	{"/jobs/{job}", showJob, does{"GET /jobs/{id}"}},
	{"/billing", showBilling, does{"GET /billing"}},
	{"/profile", showProfile, does{"GET /me"}},
	{"/access", showAccess, nil},
	{"/integrations", showIntegrations, does{"GET /webhooks"}},
	{"/integrations/{endpoint}", showEndpoint, does{"GET /webhooks/{id}"}},
}

// formActions has the forms after sign-in.
var formActions = []formAction{
	{"/instances", showNewInstance, createInstance, does{"POST /instances"}},
	{"/instances/{id}/label", showSettings, relabel, does{"PATCH /instances/{id}"}},
	{"/instances/{id}/delete", showSettings, deleteInstance, does{"DELETE /instances/{id}"}},
	{"/instances/{id}/resize", showSettings, resize, does{"POST /instances/{id}/actions/resize"}},
	{"/instances/{id}/rotate", showSettings, rotate, does{"POST /instances/{id}/actions/rotate"}},
	{"/instances/{id}/reset", showBackups, reset, does{"POST /instances/{id}/actions/reset"}},
	{"/instances/{id}/restore", showBackups, restore, does{"POST /instances/{id}/actions/restore"}},
	{"/instances/{id}/engines", showEngines, setEngines, does{"PUT /instances/{id}/engines"}},
	{"/instances/{id}/engines/{engine}/restart", showEngines, restartEngine, does{"POST /instances/{id}/engines/{engine}/actions/restart"}},
	{"/instances/{id}/allowlist", showAllowlist, setAllowlist, does{"PUT /instances/{id}/allowlist"}},
	{"/instances/{id}/console", showConsole, setConsole, does{"PUT /instances/{id}/sql-console", "PUT /instances/{id}/engines/postgres/console"}},
	{"/instances/{id}/query", showConsole, runStatement, does{"POST /instances/{id}/engines/postgres/query"}},
	{"/instances/{id}/databases", showDatabases, createDatabase, does{"POST /instances/{id}/postgres/databases"}},
	{"/instances/{id}/databases/{name}/drop", showDatabases, dropDatabase, does{"DELETE /instances/{id}/postgres/databases/{name}"}},
	{"/instances/{id}/extensions", showDatabases, setExtension, does{"PUT /instances/{id}/postgres/extensions/{name}"}},
	{"/instances/{id}/extensions/{database}/{name}/drop", showDatabases, dropExtension, does{"DELETE /instances/{id}/postgres/extensions/{name}"}},
	{"/instances/{id}/apps", showApps, importApp, does{"POST /instances/{id}/apps/import"}},
	{"/instances/{id}/apps/{name}", showApp, updateApp, does{"PATCH /instances/{id}/apps/{name}"}},
	{"/instances/{id}/apps/{name}/redeploy", showApp, redeployApp, does{"POST /instances/{id}/apps/{name}/actions/redeploy"}},
	{"/instances/{id}/apps/{name}/restart", showApp, restartApp, does{"POST /instances/{id}/apps/{name}/actions/restart"}},
	{"/instances/{id}/apps/{name}/delete", showApp, deleteApp, does{"DELETE /instances/{id}/apps/{name}"}},
	{"/instances/{id}/auth", showAuth, setAuth, does{"PATCH /instances/{id}/engines/auth/settings"}},
	{"/instances/{id}/connection", showConnection, revealConnection, does{"GET /instances/{id}/connection"}},
	{"/profile", showProfile, updateProfile, does{"PATCH /me"}},
	{"/access", showAccess, createKey, nil},
	{"/access/{key}/revoke", showAccess, revokeKey, nil},
	{"/access/applications/{application}/disconnect", showAccess, disconnectApplication, nil},
	{"/integrations", showIntegrations, createEndpoint, does{"POST /webhooks"}},
	{"/integrations/{endpoint}/test", showEndpoint, sendTestEvent, nil},
	{"/integrations/{endpoint}", showEndpoint, updateEndpoint, does{"PATCH /webhooks/{id}"}},
	{"/integrations/{endpoint}/enable", showEndpoint, enableEndpoint, does{"PATCH /webhooks/{id}"}},
	{"/integrations/{endpoint}/delete", showEndpoint, deleteEndpoint, does{"DELETE /webhooks/{id}"}},
}

func (s pageRoute) place() string  { return "GET " + Root + s.pattern }
func (d formAction) place() string { return "POST " + Root + d.pattern }

// Places returns the pages and forms ("POST /portal/profile") that do an operation of the
// API document.
func Places(operation string) (all []string) {
	for _, s := range pageRoutes {
		if slices.Contains(s.does, operation) {
			all = append(all, s.place())
		}
	}
	for _, d := range formActions {
		if slices.Contains(d.does, operation) {
			all = append(all, d.place())
		}
	}
	return all
}
