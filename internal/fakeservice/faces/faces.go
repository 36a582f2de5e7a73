// Package faces says how each face of the service has each of its operations.
package faces

// Operation is something that a customer can do with the service.
type Operation struct {
	Name string
	// REST are its operations of the API's document, such as "GET /me", MCP its tools,
	// and Portal its pages and forms, such as "POST /portal/profile". Where there is more
	// than one, each does it, and enabling an endpoint is a change of it.
	REST, MCP, Portal []string
	// Alone is the one face that the service gives the operation to, "" where all have
	// it.
	Alone Face
}

// A Face is a way to the service.
type Face string

// The faces.
const (
	REST   Face = "REST"
	MCP    Face = "MCP"
	Portal Face = "portal"
)

// Operations are all that there are, in the order of the service's description.
var Operations = []Operation{
	{Name: "list plans", REST: one("GET /plans"), MCP: one("list_plans"), Portal: one("GET /portal/plans")},
	{Name: "list locations", REST: one("GET /locations"), MCP: one("list_plans"), Portal: one("GET /portal/plans")},
	{Name: "read the guide to apps", REST: one("GET /guides/apps"), MCP: one("app_guide"), Portal: one("GET /guides/apps")},

	{Name: "list instances", REST: one("GET /instances"), MCP: one("list_instances"), Portal: one("GET /portal/instances")},
	{Name: "create an instance", REST: one("POST /instances"), MCP: one("create_instance"), Portal: one("POST /portal/instances")},
	{Name: "read an instance", REST: one("GET /instances/{id}"), MCP: one("get_instance"), Portal: one("GET /portal/instances/{id}")},
	{Name: "rename and retag an instance", REST: one("PATCH /instances/{id}"), MCP: one("update_instance"), Portal: one("POST /portal/instances/{id}/label")},
	{Name: "delete an instance", REST: one("DELETE /instances/{id}"), MCP: one("delete_instance"), Portal: one("POST /portal/instances/{id}/delete")},
	{Name: "read how an instance is reached", REST: one("GET /instances/{id}/connection"), MCP: one("get_connection_urls"), Portal: one("POST /portal/instances/{id}/connection")},
	{Name: "list backups", REST: one("GET /instances/{id}/backups"), MCP: one("list_backups"), Portal: one("GET /portal/instances/{id}/backups")},
	{Name: "read a job", REST: one("GET /jobs/{id}"), MCP: one("get_job"), Portal: one("GET /portal/jobs/{job}")},

	{Name: "set engines and budgets", REST: one("PUT /instances/{id}/engines"), MCP: one("set_engines"), Portal: one("POST /portal/instances/{id}/engines")},
	{Name: "read the allowlist", REST: one("GET /instances/{id}/allowlist"), MCP: one("get_instance"), Portal: one("GET /portal/instances/{id}/allowlist")},
	{Name: "set the allowlist", REST: one("PUT /instances/{id}/allowlist"), MCP: one("set_allowlist"), Portal: one("POST /portal/instances/{id}/allowlist")},
	{
		Name: "read the mode of the SQL console", MCP: one("get_instance"), Portal: one("GET /portal/instances/{id}/console"),
		REST: []string{"GET /instances/{id}/sql-console", "GET /instances/{id}/engines/postgres/console"},
	},
	{
		Name: "set the mode of the SQL console", MCP: one("set_sql_console"), Portal: one("POST /portal/instances/{id}/console"),
		REST: []string{"PUT /instances/{id}/sql-console", "PUT /instances/{id}/engines/postgres/console"},
	},
	{Name: "read the auth settings", REST: one("GET /instances/{id}/engines/auth/settings"), MCP: one("get_auth_settings"), Portal: one("GET /portal/instances/{id}/auth")},
	{Name: "set the auth settings", REST: one("PATCH /instances/{id}/engines/auth/settings"), MCP: one("set_auth_settings"), Portal: one("POST /portal/instances/{id}/auth")},

	{Name: "rotate passwords", REST: one("POST /instances/{id}/actions/rotate"), MCP: one("rotate_credentials"), Portal: one("POST /portal/instances/{id}/rotate")},
	{Name: "move to another plan", REST: one("POST /instances/{id}/actions/resize"), MCP: one("resize_instance"), Portal: one("POST /portal/instances/{id}/resize")},
	{Name: "empty engines", REST: one("POST /instances/{id}/actions/reset"), MCP: one("reset_instance"), Portal: one("POST /portal/instances/{id}/reset")},
	{Name: "restore a backup", REST: one("POST /instances/{id}/actions/restore"), MCP: one("restore_instance"), Portal: one("POST /portal/instances/{id}/restore")},
	{Name: "restart an engine", REST: one("POST /instances/{id}/engines/{engine}/actions/restart"), MCP: one("restart_engine"), Portal: one("POST /portal/instances/{id}/engines/{engine}/restart")},

	{Name: "run SQL", REST: one("POST /instances/{id}/engines/postgres/query"), MCP: one("postgres_query"), Portal: one("POST /portal/instances/{id}/query")},
	{Name: "list databases", REST: one("GET /instances/{id}/postgres/databases"), MCP: one("list_databases"), Portal: one("GET /portal/instances/{id}/databases")},
	{Name: "create a database", REST: one("POST /instances/{id}/postgres/databases"), MCP: one("create_database"), Portal: one("POST /portal/instances/{id}/databases")},
	{Name: "drop a database", REST: one("DELETE /instances/{id}/postgres/databases/{name}"), MCP: one("drop_database"), Portal: one("POST /portal/instances/{id}/databases/{name}/drop")},
	{Name: "list extensions", REST: one("GET /instances/{id}/postgres/extensions"), MCP: one("list_extensions"), Portal: one("GET /portal/instances/{id}/databases")},
	{Name: "turn an extension on", REST: one("PUT /instances/{id}/postgres/extensions/{name}"), MCP: one("set_extension"), Portal: one("POST /portal/instances/{id}/extensions")},
	{Name: "turn an extension off", REST: one("DELETE /instances/{id}/postgres/extensions/{name}"), MCP: one("drop_extension"), Portal: one("POST /portal/instances/{id}/extensions/{database}/{name}/drop")},

	// service.md shows these two as tools, and nothing of REST for them.
	{Name: "list repositories", MCP: one("list_repos"), Alone: MCP},
	{Name: "look at a repository", MCP: one("inspect_repo"), Alone: MCP},
	{Name: "import an app", REST: one("POST /instances/{id}/apps/import"), MCP: one("import_repo"), Portal: one("POST /portal/instances/{id}/apps")},
	{Name: "list apps", REST: one("GET /instances/{id}/apps"), MCP: one("list_apps"), Portal: one("GET /portal/instances/{id}/apps")},
	{Name: "read an app", REST: one("GET /instances/{id}/apps/{name}"), MCP: []string{"get_app", "app_repo"}, Portal: one("GET /portal/instances/{id}/apps/{name}")},
	{Name: "list builds", REST: one("GET /instances/{id}/apps/{name}/builds"), MCP: one("list_builds"), Portal: one("GET /portal/instances/{id}/apps/{name}")},
	{Name: "change an app", REST: one("PATCH /instances/{id}/apps/{name}"), MCP: one("update_app"), Portal: one("POST /portal/instances/{id}/apps/{name}")},
	{Name: "delete an app", REST: one("DELETE /instances/{id}/apps/{name}"), MCP: one("delete_app"), Portal: one("POST /portal/instances/{id}/apps/{name}/delete")},
	{Name: "redeploy an app", REST: one("POST /instances/{id}/apps/{name}/actions/redeploy"), MCP: one("redeploy_app"), Portal: one("POST /portal/instances/{id}/apps/{name}/redeploy")},
	{Name: "restart an app", REST: one("POST /instances/{id}/apps/{name}/actions/restart"), MCP: one("restart_app"), Portal: one("POST /portal/instances/{id}/apps/{name}/restart")},

	{Name: "read the account", REST: one("GET /me"), MCP: one("get_account"), Portal: one("GET /portal/profile")},
	{Name: "change the profile", REST: one("PATCH /me"), MCP: one("update_account"), Portal: one("POST /portal/profile")},
	{Name: "read billing", REST: one("GET /billing"), MCP: one("get_billing"), Portal: one("GET /portal/billing")},
	{Name: "list webhook endpoints", REST: one("GET /webhooks"), MCP: one("list_webhooks"), Portal: one("GET /portal/integrations")},
	{Name: "read a webhook endpoint", REST: one("GET /webhooks/{id}"), MCP: one("list_webhooks"), Portal: one("GET /portal/integrations/{endpoint}")},
	{Name: "add a webhook endpoint", REST: one("POST /webhooks"), MCP: one("create_webhook"), Portal: one("POST /portal/integrations")},
	{Name: "change a webhook endpoint", REST: one("PATCH /webhooks/{id}"), MCP: one("update_webhook"), Portal: []string{"POST /portal/integrations/{endpoint}", "POST /portal/integrations/{endpoint}/enable"}},
	{Name: "delete a webhook endpoint", REST: one("DELETE /webhooks/{id}"), MCP: one("delete_webhook"), Portal: one("POST /portal/integrations/{endpoint}/delete")},

	// The API says nothing of what has become of deliveries, and a checkout is a person's.
	{Name: "finish a checkout", Alone: Portal, Portal: one("GET /checkout/{token}")},
	{Name: "see what was delivered", Alone: Portal, Portal: one("GET /portal/integrations/{endpoint}")},
	{Name: "send a test event", Alone: Portal, Portal: one("POST /portal/integrations/{endpoint}/test")},

	// A key cannot make or revoke keys.
	{Name: "list API keys", Alone: Portal, Portal: one("GET /portal/access")},
	{Name: "make an API key", Alone: Portal, Portal: one("POST /portal/access")},
	{Name: "revoke an API key", Alone: Portal, Portal: one("POST /portal/access/{key}/revoke")},
}

// one is the only way.
func one(way string) []string { return []string{way} }
