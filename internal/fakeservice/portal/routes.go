package portal

// both are the console's two addresses in the API, which are one thing.
func both(method string) []string {
	return []string{method + " /instances/{id}/sql-console", method + " /instances/{id}/engines/postgres/console"}
}

// shows are the pages after sign-in, each with the operations of the API's document that
// it does.
var shows = []show{
	{"/instances", []string{"GET /instances"}, showInstances},
	{"/instances/new", []string{"GET /plans", "GET /locations"}, showNewInstance},
	{"/instances/{id}", []string{"GET /instances/{id}"}, showOverview},
	{"/instances/{id}/engines", []string{"GET /plans"}, showEngines},
	{"/instances/{id}/allowlist", []string{"GET /instances/{id}/allowlist"}, showAllowlist},
	{"/instances/{id}/console", both("GET"), showConsole},
	{"/instances/{id}/databases", []string{"GET /instances/{id}/postgres/databases", "GET /instances/{id}/postgres/extensions"}, showDatabases},
	{"/instances/{id}/apps", []string{"GET /instances/{id}/apps"}, showApps},
	{"/instances/{id}/apps/{name}", []string{"GET /instances/{id}/apps/{name}", "GET /instances/{id}/apps/{name}/builds"}, showApp},
	{"/instances/{id}/apps/{name}/builds/{build}", []string{"GET /instances/{id}/apps/{name}/builds"}, showBuild},
	{"/instances/{id}/auth", []string{"GET /instances/{id}/engines/auth/settings"}, showAuth},
	{"/instances/{id}/connection", []string{"GET /instances/{id}/connection"}, showConnection},
	{"/instances/{id}/backups", []string{"GET /instances/{id}/backups"}, showBackups},
	{"/instances/{id}/settings", []string{"GET /plans"}, showSettings},
	{"/jobs/{job}", []string{"GET /jobs/{id}"}, showJob},
	{"/plans", []string{"GET /plans", "GET /locations"}, showPlans},
	{"/billing", []string{"GET /billing"}, showBilling},
	{"/profile", []string{"GET /me"}, showProfile},
	{"/access", nil, showAccess},
	{"/integrations", []string{"GET /webhooks"}, showIntegrations},
	{"/integrations/{endpoint}", []string{"GET /webhooks/{id}"}, showEndpoint},
}

// deeds are the forms after sign-in, each with the operations that it does. Those of keys
// are the portal's alone.
var deeds = []deed{
	{"/instances", []string{"POST /instances"}, showNewInstance, createInstance},
	{"/instances/{id}/label", []string{"PATCH /instances/{id}"}, showSettings, relabel},
	{"/instances/{id}/delete", []string{"DELETE /instances/{id}"}, showSettings, deleteInstance},
	{"/instances/{id}/resize", []string{"POST /instances/{id}/actions/resize"}, showSettings, resize},
	{"/instances/{id}/rotate", []string{"POST /instances/{id}/actions/rotate"}, showSettings, rotate},
	{"/instances/{id}/reset", []string{"POST /instances/{id}/actions/reset"}, showBackups, reset},
	{"/instances/{id}/restore", []string{"POST /instances/{id}/actions/restore"}, showBackups, restore},
	{"/instances/{id}/engines", []string{"PUT /instances/{id}/engines"}, showEngines, setEngines},
	{"/instances/{id}/engines/{engine}/restart", []string{"POST /instances/{id}/engines/{engine}/actions/restart"}, showEngines, restartEngine},
	{"/instances/{id}/allowlist", []string{"PUT /instances/{id}/allowlist"}, showAllowlist, setAllowlist},
	{"/instances/{id}/console", both("PUT"), showConsole, setConsole},
	{"/instances/{id}/query", []string{"POST /instances/{id}/engines/postgres/query"}, showConsole, runStatement},
	{"/instances/{id}/databases", []string{"POST /instances/{id}/postgres/databases"}, showDatabases, createDatabase},
	{"/instances/{id}/databases/{name}/drop", []string{"DELETE /instances/{id}/postgres/databases/{name}"}, showDatabases, dropDatabase},
	{"/instances/{id}/extensions", []string{"PUT /instances/{id}/postgres/extensions/{name}"}, showDatabases, setExtension},
	{"/instances/{id}/extensions/{database}/{name}/drop", []string{"DELETE /instances/{id}/postgres/extensions/{name}"}, showDatabases, dropExtension},
	{"/instances/{id}/apps", []string{"POST /instances/{id}/apps/import"}, showApps, importApp},
	{"/instances/{id}/apps/{name}", []string{"PATCH /instances/{id}/apps/{name}"}, showApp, updateApp},
	{"/instances/{id}/apps/{name}/redeploy", []string{"POST /instances/{id}/apps/{name}/actions/redeploy"}, showApp, redeployApp},
	{"/instances/{id}/apps/{name}/restart", []string{"POST /instances/{id}/apps/{name}/actions/restart"}, showApp, restartApp},
	{"/instances/{id}/apps/{name}/delete", []string{"DELETE /instances/{id}/apps/{name}"}, showApp, deleteApp},
	{"/instances/{id}/auth", []string{"PATCH /instances/{id}/engines/auth/settings"}, showAuth, setAuth},
	{"/instances/{id}/connection", []string{"GET /instances/{id}/connection"}, showConnection, revealConnection},
	{"/profile", []string{"PATCH /me"}, showProfile, updateProfile},
	{"/access", nil, showAccess, createKey},
	{"/access/{key}/revoke", nil, showAccess, revokeKey},
	{"/integrations", []string{"POST /webhooks"}, showIntegrations, createEndpoint},
	{"/integrations/{endpoint}/test", nil, showEndpoint, sendTestEvent},
	{"/integrations/{endpoint}", []string{"PATCH /webhooks/{id}"}, showEndpoint, updateEndpoint},
	{"/integrations/{endpoint}/enable", []string{"PATCH /webhooks/{id}"}, showEndpoint, enableEndpoint},
	{"/integrations/{endpoint}/delete", []string{"DELETE /webhooks/{id}"}, showEndpoint, deleteEndpoint},
}

// PublicOperations are those that a page does without a sign-in.
var publicOperations = map[string]string{"GET /guides/apps": "/guides/apps"}
