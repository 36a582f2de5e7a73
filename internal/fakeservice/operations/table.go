package operations

import "github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"

// envSecrets names the possible secrets in the record of an app.
const envSecrets = "the values of env, any of which may be one"

// All has every operation, in the order of the service's description.
var All = []Operation{
	{
		Name: "list plans", Effect: reading, Run: ofAccount((*core.Service).Plans),
		REST: one("GET /plans"),
		Tool: Tool{
			Name: "list_plans", Title: "Plans, locations and engines", Run: run(listOffer),
			Text: "Lists the plans with their prices and hardware, the locations, and each engine with its memory minimum (floor_mb). A plan with price_cents over 0 is paid.",
		},
	},
	{
		Name: "list locations", Effect: reading, Run: ofAccount((*core.Service).Locations),
		REST: one("GET /locations"), OtherTools: one("list_plans"),
	},
	{
		Name: "read the guide to apps", Effect: reading, Run: run(readGuide),
		REST: one("GET /guides/apps"),
		Tool: Tool{Name: "app_guide", Title: "What a hosted app must satisfy", Text: "Returns the container and deployment contract of apps, as Markdown."},
	},

	{
		Name: "list instances", Effect: reading, Run: run(listInstances),
		REST: one("GET /instances"),
		Tool: Tool{Name: "list_instances", Title: "Instances", Text: "Lists the account's instances, in order of creation. Where next_cursor is in the answer there are more."},
	},
	{
		Name: "create an instance", Job: "create", Effect: doing, Run: run(createInstance),
		REST: one("POST /instances"),
		Tool: Tool{
			Name: "create_instance", Title: "Create an instance", Run: run(createInstanceByTool),
			Text:  "Creates an instance, which takes about 8 minutes. For a paid plan the answer has checkout_url: nothing happens until a person has opened it.",
			Enums: map[string][]any{"engines": {core.EnginePostgres, core.EngineApps, core.EngineAuth}},
		},
		Example: map[string]any{
			"name": "shop", "plan": "free", "region": "eu-central", "engines": map[string]any{"postgres": true, "apps": true, "auth": true},
		},
	},
	{
		Name: "read an instance", Effect: reading, Run: ofInstance((*core.Service).ReadInstance),
		REST: one("GET /instances/{id}"),
		Tool: Tool{
			Name: "get_instance", Title: "One instance",
			Text: "Shows an instance: its status, host, engines, allowlist, console mode, the job in progress, usage, health and activity.",
		},
	},
	{
		Name: "rename and retag an instance", Job: "update", Effect: replacing, Run: run(updateInstance),
		REST:    one("PATCH /instances/{id}"),
		Tool:    Tool{Name: "update_instance", Title: "Rename and retag an instance", Text: "Changes the name or the tags of an instance. What is left out stays."},
		Example: map[string]any{"name": "store"},
	},
	{
		Name: "delete an instance", Job: "delete", Effect: replacing, Run: run(deleteInstance),
		REST: one("DELETE /instances/{id}"),
		Tool: Tool{
			Name: "delete_instance", Title: "Delete an instance",
			Text: "Deletes an instance with all its data and backups, for good, and cancels its subscription.",
			Asks: "Delete the instance %s with all its data and backups, for good?",
		},
	},
	{
		Name: "read how an instance is reached", Effect: reading, Run: ofInstance((*core.Service).Connection),
		REST: one("GET /instances/{id}/connection"),
		Tool: Tool{
			Name: "get_connection_urls", Title: "Connection URLs",
			Text:    "Shows how an instance is reached: its host, the CA certificate, the URLs of its engines, and URL and anon key of the auth engine, which a browser may know.",
			Secrets: "passwords in the URLs, and the service key of the auth engine",
		},
	},
	{
		Name: "list backups", Effect: reading, Run: ofInstance((*core.Service).Backups),
		REST: one("GET /instances/{id}/backups"),
		Tool: Tool{Name: "list_backups", Title: "Backups", Text: "Lists the daily backups and the undo snapshots of an instance, newest first."},
	},
	{
		Name: "read a job", Effect: reading, Run: run(readJob),
		REST: one("GET /jobs/{id}"),
		Tool: Tool{Name: "get_job", Title: "One job", Text: "Shows a job: its status (queued, running, done or failed), its progress in percent, and why it has failed."},
	},

	{
		Name: "set engines and budgets", Job: "engines", Effect: replacing, Run: run(setEngines),
		REST: one("PUT /instances/{id}/engines"),
		Tool: Tool{
			Name: "set_engines", Title: "Set engines and budgets",
			Text: "Sets which engines are on, and their memory budgets, which must fit the plan together. An engine that is left out is turned off and its data is gone.",
		},
		Example: map[string]any{"engines": map[string]any{"postgres": map[string]any{}, "apps": map[string]any{}, "auth": map[string]any{}}},
	},
	{
		Name: "read the allowlist", Effect: reading, Run: ofInstance((*core.Service).Allowlist),
		REST: one("GET /instances/{id}/allowlist"), OtherTools: one("get_instance"),
	},
	{
		Name: "set the allowlist", Job: "allowlist", Effect: replacing, Run: run(setAllowlist),
		REST: one("PUT /instances/{id}/allowlist"),
		Tool: Tool{
			Name: "set_allowlist", Title: "Set the IP allowlist",
			Text: "Replaces the IP allowlist of an instance, within a minute. An empty list opens the instance to the internet; TLS and a password are still needed.",
			Asks: "Open the instance %s to the whole internet?",
		},
		Example: map[string]any{"allowlist": []string{"127.0.0.0/8"}},
	},
	{
		Name: "read the mode of the SQL console", Effect: reading, Run: ofInstance((*core.Service).Console),
		REST:       []string{"GET /instances/{id}/sql-console", "GET /instances/{id}/engines/postgres/console"},
		OtherTools: one("get_instance"),
	},
	{
		Name: "set the mode of the SQL console", Job: "console", Effect: replacing, Run: run(setConsole),
		REST: []string{"PUT /instances/{id}/sql-console", "PUT /instances/{id}/engines/postgres/console"},
		Tool: Tool{
			Name: "set_sql_console", Title: "Set the SQL console's mode",
			Text:  "Sets what postgres_query may do: nothing (off), read, or read and write. Turn it off again when the work is done.",
			Enums: map[string][]any{"mode": {"off", "read-only", "read-write", "ro", "rw"}},
		},
		Example: map[string]any{"mode": "rw"},
	},
	{
		Name: "read the auth settings", Effect: reading, Run: ofInstance((*core.Service).AuthSettings),
		REST: one("GET /instances/{id}/engines/auth/settings"),
		Tool: Tool{Name: "get_auth_settings", Title: "Auth settings", Text: "Shows where the auth engine's redirects return."},
	},
	{
		Name: "set the auth settings", Job: "auth_settings", Effect: replacing, Run: run(updateAuthSettings),
		REST:    one("PATCH /instances/{id}/engines/auth/settings"),
		Tool:    Tool{Name: "set_auth_settings", Title: "Set auth settings", Text: "Sets where the auth engine's redirects return. What is left out stays."},
		Example: map[string]any{"site_url": "https://shop.example"},
	},

	{
		Name: "rotate passwords", Job: "rotate", Effect: destroying, Run: run(rotate),
		REST: one("POST /instances/{id}/actions/rotate"),
		Tool: Tool{
			Name: "rotate_credentials", Title: "Rotate all passwords",
			Text: "Changes every password of an instance and the auth service key. Old connection URLs no longer work; get_connection_urls has the new ones.",
			Asks: "Change every password of the instance %s? Old connection URLs no longer work.",
		},
	},
	{
		Name: "move to another plan", Job: "resize", Effect: replacing, Run: run(resize),
		REST:    one("POST /instances/{id}/actions/resize"),
		Tool:    Tool{Name: "resize_instance", Title: "Move to another plan", Text: "Moves an instance to another plan. Its engines and apps have to fit there."},
		Example: map[string]any{"plan": "small"},
	},
	{
		Name: "empty engines", Job: "reset", Effect: destroying, Run: run(reset),
		REST: one("POST /instances/{id}/actions/reset"),
		Tool: Tool{
			Name: "reset_instance", Title: "Empty engines",
			Text: "Empties one engine, or all of them: its data is gone. An undo snapshot is taken first.",
			Asks: "Empty the instance %s? An undo snapshot is taken first.",
		},
		Example: map[string]any{"engine": "postgres"},
	},
	{
		Name: "restore a backup", Job: "restore", Effect: destroying, Run: run(restore),
		REST: one("POST /instances/{id}/actions/restore"),
		Tool: Tool{
			Name: "restore_instance", Title: "Restore a backup",
			Text: "Puts the data of an instance back to a backup: what is newer is gone. An undo snapshot is taken first.",
			Asks: "Put the data of the instance %s back to a backup? Newer data is lost. An undo snapshot is taken first.",
		},
	},
	{
		Name: "restart an engine", Job: "engine_restart", Effect: doing, Run: run(restartEngine),
		REST:    one("POST /instances/{id}/engines/{engine}/actions/restart"),
		Tool:    Tool{Name: "restart_engine", Title: "Restart an engine", Text: "Restarts one engine of an instance. Its data stays."},
		Example: map[string]any{"engine": "postgres"},
	},

	{
		Name: "run SQL", Effect: destroying, Run: run(runStatement),
		REST: one("POST /instances/{id}/engines/postgres/query"),
		Tool: Tool{
			Name: "postgres_query", Title: "Run SQL",
			Text: "Runs one SQL statement at once, as far as the mode of the SQL console lets it; set_sql_console sets that. What it changes is no job and cannot be taken back.",
		},
		Example: map[string]any{"sql": "SELECT 1"},
	},
	{
		Name: "list databases", Effect: reading, Run: ofInstance((*core.Service).ListDatabases),
		REST: one("GET /instances/{id}/postgres/databases"),
		Tool: Tool{Name: "list_databases", Title: "Databases", Text: "Lists the Postgres databases of an instance, its own first."},
	},
	{
		Name: "create a database", Job: "database_create", Effect: doing, Run: run(createDatabase),
		REST:    one("POST /instances/{id}/postgres/databases"),
		Tool:    Tool{Name: "create_database", Title: "Create a database", Text: "Creates a Postgres database."},
		Example: map[string]any{"name": "stock"},
	},
	{
		Name: "drop a database", Job: "database_drop", Effect: replacing, Run: run(dropDatabase),
		REST:    one("DELETE /instances/{id}/postgres/databases/{name}"),
		Tool:    Tool{Name: "drop_database", Title: "Drop a database", Text: "Drops a Postgres database with all its data, for good."},
		Example: map[string]any{"name": "stock"},
	},
	{
		Name: "list extensions", Effect: reading, Run: run(listExtensions),
		REST: one("GET /instances/{id}/postgres/extensions"),
		Tool: Tool{Name: "list_extensions", Title: "Extensions", Text: "Lists the Postgres extensions that are on."},
	},
	{
		Name: "turn an extension on", Job: "extension_set", Effect: adding, Run: run(setExtension),
		REST:    one("PUT /instances/{id}/postgres/extensions/{name}"),
		Tool:    Tool{Name: "set_extension", Title: "Turn an extension on", Text: "Turns a Postgres extension on in a database: pgvector, pg_trgm or pgcrypto."},
		Example: map[string]any{"name": "pgcrypto"},
	},
	{
		Name: "turn an extension off", Job: "extension_drop", Effect: replacing, Run: run(dropExtension),
		REST:    one("DELETE /instances/{id}/postgres/extensions/{name}"),
		Tool:    Tool{Name: "drop_extension", Title: "Turn an extension off", Text: "Turns a Postgres extension off in a database."},
		Example: map[string]any{"name": "pgcrypto"},
	},

	// The service shows the next two and "read where an app comes from" as tools only.
	{
		Name: "list repositories", Effect: reading, Run: ofAccount((*core.Service).Repositories),
		Tool: Tool{Name: "list_repos", Title: "Repositories", Fetches: true, Text: "Lists the repositories that the code-hosting integration sees."},
	},
	{
		Name: "look at a repository", Effect: reading, Run: run(inspectRepository),
		Tool: Tool{
			Name: "inspect_repo", Title: "Look at a repository", Fetches: true,
			Text: "Tells whether a branch says how it is built, and which port suits an import of it to an instance.",
		},
	},
	{
		Name: "import an app", Job: "app_import", Effect: doing, Run: run(importApp),
		REST: one("POST /instances/{id}/apps/import"),
		Tool: Tool{
			Name: "import_repo", Title: "Import a repository as an app", Fetches: true,
			Text:  "Imports a branch of a repository as an app and queues its first build. It applies no links; update_app does, afterwards.",
			Lacks: one("links"),
			Enums: map[string][]any{"source": {"git"}, "target": {"runner"}},
		},
		Example: map[string]any{"branch": "main", "name": "web", "port": 3000, "health_path": "/healthz", "public": true},
	},
	{
		Name: "list apps", Effect: reading, Run: ofInstance((*core.Service).ListApps),
		REST: one("GET /instances/{id}/apps"),
		Tool: Tool{Name: "list_apps", Title: "Apps", Secrets: envSecrets, Text: "Lists the apps of an instance, in order of import."},
	},
	{
		Name: "read an app", Effect: reading, Run: run(readApp),
		REST: one("GET /instances/{id}/apps/{name}"), OtherTools: one("app_repo"),
		Tool: Tool{
			Name: "get_app", Title: "One app", Secrets: envSecrets,
			Text: "Shows an app: its status, its public URL, which is null until it is deployed, and why it has failed.",
		},
		Example: map[string]any{"name": "web"},
	},
	{
		Name: "list builds", Effect: reading, Run: run(listBuilds),
		REST: one("GET /instances/{id}/apps/{name}/builds"),
		Tool: Tool{
			Name: "list_builds", Title: "Builds",
			Text: "Lists the builds of an app, newest first, each with its status (queued, running, successful or failed) and the end of its log where it has failed. Where next_cursor is in the answer there are more.",
		},
		Example: map[string]any{"name": "web"},
	},
	{
		Name: "read where an app comes from", Effect: reading, Run: run(readSource),
		Tool: Tool{Name: "app_repo", Title: "Repository and newest build of an app", Text: "Shows where an app comes from, its public URL and its newest build."},
	},
	{
		Name: "change an app", Job: "app_update", Effect: replacing, Run: run(updateApp),
		REST: one("PATCH /instances/{id}/apps/{name}"),
		Tool: Tool{
			Name: "update_app", Title: "Change an app",
			Text: "Changes an app. What is left out stays. Another branch or other variables queue a build, whose id is build_id; anything else restarts the app.",
		},
		Example: map[string]any{"name": "web", "links": []string{"auth"}},
	},
	{
		Name: "delete an app", Job: "app_delete", Effect: replacing, Run: run(deleteApp),
		REST:    one("DELETE /instances/{id}/apps/{name}"),
		Tool:    Tool{Name: "delete_app", Title: "Delete an app", Text: "Deletes an app with all that is under its /data, for good."},
		Example: map[string]any{"name": "web"},
	},
	{
		Name: "redeploy an app", Job: "app_redeploy", Effect: doing, Run: run(redeployApp),
		REST:    one("POST /instances/{id}/apps/{name}/actions/redeploy"),
		Tool:    Tool{Name: "redeploy_app", Title: "Redeploy an app", Fetches: true, Text: "Builds the newest commit of an app's branch and deploys it."},
		Example: map[string]any{"name": "web"},
	},
	{
		Name: "restart an app", Job: "app_restart", Effect: doing, Run: run(restartApp),
		REST:    one("POST /instances/{id}/apps/{name}/actions/restart"),
		Tool:    Tool{Name: "restart_app", Title: "Restart an app", Text: "Restarts an app. Its data stays."},
		Example: map[string]any{"name": "web"},
	},

	{
		Name: "read the account", Effect: reading, Run: ofAccount((*core.Service).Account),
		REST: one("GET /me"),
		Tool: Tool{Name: "get_account", Title: "The account", Text: "Shows the account and its profile, which goes on receipts."},
	},
	{
		Name: "change the profile", Effect: replacing, Run: run(updateProfile),
		REST:    one("PATCH /me"),
		Tool:    Tool{Name: "update_account", Title: "Change the profile", TakesNull: true, Text: "Changes the profile, which goes on receipts. What is left out stays."},
		Example: map[string]any{"company": "Engines Ltd"},
	},
	{
		Name: "read billing", Effect: reading, Run: run(readBilling),
		REST: one("GET /billing"),
		Tool: Tool{Name: "get_billing", Title: "Billing", Run: ofAccount((*core.Service).Billing), Text: "Lists subscriptions and charges."},
	},
	{
		Name: "list webhook endpoints", Effect: reading, Run: ofAccount((*core.Service).ListWebhooks),
		REST: one("GET /webhooks"),
		Tool: Tool{Name: "list_webhooks", Title: "Webhook endpoints", Text: "Lists the webhook endpoints, without their secrets."},
	},
	{
		Name: "add a webhook endpoint", Effect: doing, Run: run(createWebhook),
		REST: one("POST /webhooks"),
		Tool: Tool{
			Name: "create_webhook", Title: "Add a webhook endpoint",
			Text:    "Registers an https URL to which every event is delivered.",
			Secrets: "the secret that deliveries are signed with, which is shown this once",
		},
		Example: map[string]any{"url": "https://hooks.example.com"},
	},
	{
		Name: "read a webhook endpoint", Effect: reading, Run: run(readWebhook),
		REST: one("GET /webhooks/{id}"), OtherTools: one("list_webhooks"),
	},
	{
		Name: "change a webhook endpoint", Effect: replacing, Run: run(updateWebhook),
		REST:    one("PATCH /webhooks/{id}"),
		Tool:    Tool{Name: "update_webhook", Title: "Change a webhook endpoint", Text: "Changes a webhook endpoint. Enabling one sets its count of failures back."},
		Example: map[string]any{"enabled": false},
	},
	{
		Name: "delete a webhook endpoint", Effect: replacing, Run: run(deleteWebhook),
		REST: one("DELETE /webhooks/{id}"),
		Tool: Tool{Name: "delete_webhook", Title: "Delete a webhook endpoint", Text: "Deletes a webhook endpoint. Nothing more is delivered to it."},
	},
}
