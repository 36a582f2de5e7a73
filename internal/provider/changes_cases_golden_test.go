package provider

// changeCases returns the changes of TestGoldenChanges, by the name of their file.
func changeCases() map[string][]goldenCase {
	return map[string][]goldenCase{
		"instance": instanceCases(),
		"app":      appCases(),
		"settings": settingCases(),
		"postgres": postgresCases(),
		"account":  accountCases(),
	}
}

// later is a value that is known after the apply.
var later = notKnown{}

func instanceCases() []goldenCase {
	const kind = "hosting_instance"
	create := func(edits object) goldenCase {
		return goldenCase{kind: kind, given: overlaid(object{"name": "web", "plan": "free", "region": "eu-central", "engines": object{"postgres": object{}}}, edits)}
	}
	change := func(edits object) goldenCase { return goldenCase{kind: kind, from: "i-shop", given: edits} }
	bare := object{"deletion_protection": false}
	owned := object{"configured_engines": []any{"postgres", "apps", "auth", "redis", "couchdb", "nats"}}
	all := object{"postgres": object{}, "redis": object{}, "couchdb": object{}, "nats": object{}, "apps": object{}, "auth": object{}}
	return []goldenCase{
		create(nil),
		create(object{"tags": []any{"a", "b"}, "deletion_protection": true, "timeouts": object{"create": "20m"}}),
		create(object{"tags": []any{""}}),
		create(object{"tags": []any{}}),
		create(object{"tags": []any{later}}),
		create(object{"tags": later}),
		create(object{"engines": object{"redis": object{"memory_mb": 0}}}),
		create(object{"name": "Not Valid"}),
		create(object{"name": ""}),
		create(object{"name": later}),
		create(object{"name": "shop", "plan": "large"}),
		create(object{"name": "waiting", "plan": "small"}),
		create(object{"plan": "none"}),
		create(object{"plan": "small"}),
		create(object{"plan": later}),
		create(object{"region": "none"}),
		create(object{"region": later}),
		create(object{"engines": object{}}),
		create(object{"engines": object{"none": object{}}}),
		create(object{"engines": later}),
		create(object{"engines": object{"postgres": later}}),
		create(object{"engines": object{"auth": object{}}}),
		create(object{"engines": object{"apps": object{"memory_mb": 300}, "postgres": object{"memory_mb": later}}}),
		create(object{"engines": object{"postgres": object{"memory_mb": 1 << 20}}}),
		create(object{"engines": object{"postgres": object{"memory_mb": 1}}}),
		create(object{"engines": object{"nats": object{"memory_mb": 100}}}),
		create(object{"timeouts": object{"create": "soon"}}),
		create(object{"timeouts": object{"create": "-1m"}}),
		change(object{"engines": all}),
		change(object{"engines": all, "name": "store", "tags": []any{"new"}}),
		change(object{"engines": all, "tags": nil}),
		change(object{"engines": all, "deletion_protection": true}),
		change(object{"engines": all, "region": "us-east"}),
		change(object{"engines": all, "region": later}),
		change(object{"engines": all, "plan": "small"}),
		change(object{"engines": all, "plan": "free"}),
		change(object{"engines": all, "plan": "none"}),
		change(object{"engines": object{"postgres": object{"memory_mb": 700}, "redis": object{}, "couchdb": object{}, "nats": object{}, "apps": object{}, "auth": object{}}}),
		change(object{"engines": object{"postgres": object{"memory_mb": 1 << 20}, "redis": object{}, "couchdb": object{}, "nats": object{}, "apps": object{}, "auth": object{}}}),
		change(object{"engines": object{"postgres": object{}}}),
		change(object{"engines": object{}}),
		change(object{"engines": later}),
		{kind: kind, from: "i-shop"},
		{kind: kind, from: "i-shop", state: bare, notes: owned},
		{kind: kind, from: "i-shop", state: bare, notes: object{"account": object{"id": "acc-other", "origin": "https://hosting.test"}}},
		{kind: kind, from: "i-shop", state: bare, notes: object{"account": object{"origin": "https://elsewhere.test"}}, given: object{"engines": all, "name": "store"}},
		{kind: kind, from: "i-shop", state: bare, notes: owned, given: object{"engines": all, "region": "us-east"}},
		{kind: kind, from: "i-shop", state: bare, notes: owned, given: object{"engines": object{"postgres": object{}, "apps": object{}}}},
		{kind: kind, from: "i-shop", notes: owned, given: object{"engines": object{"postgres": object{}, "apps": object{}}}},
		{kind: kind, from: "i-shop", state: bare, notes: owned, given: object{"engines": object{"apps": object{}, "auth": object{}, "redis": object{}}}},
		{kind: kind, from: "i-shop", state: object{"engines": object{"postgres": object{"memory_mb": 512}}}, notes: owned, given: object{"engines": object{"postgres": object{}}}},
		{kind: kind, from: "i-shop", state: overlaid(bare, object{"engines": object{"postgres": object{"memory_mb": 512}}}), notes: owned, given: object{"engines": object{"postgres": object{"memory_mb": 700}}}},
		{kind: kind, from: "i-shop", state: object{"engines": nil}, given: object{"engines": all}},
		{kind: kind, from: "i-shop", state: object{"plan": "medium", "tags": []any{"old"}, "tags_all": []any{"old"}}, given: object{"engines": all, "plan": "large", "tags": []any{"prod"}}},
		{kind: kind, from: "i-shop", state: object{"status": "failed", "host": nil, "deletion_protection": nil}, notes: object{"pending": object{"creating": true, "failed": true, "job": "job-x"}}, given: object{"engines": all}},
		{kind: kind, from: "i-shop", state: object{"status": "failed", "host": nil, "deletion_protection": nil}, notes: object{"pending": object{"creating": true, "failed": true, "protected": true, "job": "job-x"}}},
		{kind: kind, from: "i-shop", state: object{"status": "failed", "host": nil, "deletion_protection": nil}, given: object{"engines": all, "deletion_protection": true}},
		{kind: kind, from: "i-shop", state: object{"status": "failed"}, given: object{"engines": all, "name": "store"}},
		{kind: kind, from: "i-shop", state: object{"status": "failed"}},
		{kind: kind, from: "i-shop", state: object{"status": "failed", "deletion_protection": false}},
		{kind: kind, from: "i-shop", state: object{"status": "creating", "host": nil}, notes: object{"pending": object{"creating": true, "job": "job-x", "switches": object{"postgres": true}}}, given: object{"engines": object{"postgres": object{"memory_mb": 600}, "redis": object{}}, "name": "store"}},
		{kind: kind, from: "i-shop", state: object{"status": "creating", "host": nil, "deletion_protection": false}, notes: object{"pending": object{"creating": true, "job": "job-x", "switches": object{"postgres": true}}}},
		{kind: kind, from: "i-shop", state: object{"status": "deleting"}, given: object{"engines": all}},
		{kind: kind, from: "i-shop", state: object{"status": "deleting"}, given: object{"engines": all, "deletion_protection": false}},
		{kind: kind, from: "i-shop", state: object{"status": "deleting"}, given: object{"engines": all, "name": "store"}},
		{kind: kind, from: "i-shop", state: object{"status": "deleting", "deletion_protection": false}},
		{kind: kind, from: "i-shop", state: object{"status": "resizing"}, given: object{"engines": all, "plan": "medium"}},
		{kind: kind, from: "i-shop", notes: object{"connection_moved_on": true, "protected": true}, given: object{"engines": all}},
		{kind: kind, from: "i-shop", notes: object{"connection_moved_on": "not a truth"}, given: object{"engines": all, "name": "store"}},
		{kind: kind, from: "i-none", given: object{}},
		{kind: kind, from: "shop", given: object{}},
		{kind: kind, from: "paid", given: object{}},
	}
}

func appCases() []goldenCase {
	const kind = "hosting_app"
	create := func(edits object) goldenCase {
		return goldenCase{kind: kind, given: overlaid(object{"instance_id": "i-big", "name": "guestbook", "repo": "octo/guestbook"}, edits)}
	}
	change := func(edits object) goldenCase {
		return goldenCase{kind: kind, from: "i-shop/web", given: edits}
	}
	bare := object{"deletion_protection": false}
	secret := object{"secret_env_keys": []any{"TOKEN"}}
	secrets := func(o object) object { return object{"secret_env_wo_version": 1, "secret_env_wo": o} }
	return []goldenCase{
		create(nil),
		create(object{"branch": "next", "port": 8080, "public": true, "health_path": "/ok", "memory_mb": 640, "links": []any{"auth"}, "env": object{"A": "1"}}),
		create(object{"instance_id": "i-none"}),
		create(object{"instance_id": later}),
		create(object{"instance_id": "i-shop", "name": "web"}),
		create(object{"name": ""}),
		create(object{"name": "Not Valid"}),
		create(object{"name": later}),
		create(object{"repo": "guestbook"}),
		create(object{"repo": "https://github.com/octo/guestbook"}),
		create(object{"branch": ""}),
		create(object{"port": 0}),
		create(object{"port": 70000}),
		create(object{"health_path": "ok"}),
		create(object{"memory_mb": 1 << 20}),
		create(object{"memory_mb": 1}),
		create(object{"memory_mb": later}),
		create(object{"links": []any{"none"}}),
		create(object{"links": []any{""}}),
		create(object{"links": later}),
		create(object{"env": object{"": "x"}}),
		create(object{"env": object{"PORT": "1"}}),
		create(object{"env": object{"A": nil}}),
		create(object{"env": object{"A": "(value not shown)"}}),
		create(object{"env": object{"A": later}}),
		create(object{"env": later}),
		create(object{"env": object{"A": "1"}, "secret_env_wo": object{"A": "2"}, "secret_env_wo_version": 1}),
		create(secrets(object{"TOKEN": "the-secret"})),
		create(secrets(object{"TOKEN": later})),
		create(secrets(object{"KEY": "a secret", "NEXT_PUBLIC_KEY": "for browsers"})),
		create(object{"secret_env_wo": object{"TOKEN": "the-secret"}}),
		create(object{"secret_env_wo_version": 1}),
		create(object{"redeploy_triggers": object{"a": "1"}, "deploy_commit": "0123456789abcdef0123456789abcdef01234567"}),
		create(object{"deploy_commit": "main"}),
		create(object{"deletion_protection": true, "timeouts": object{"create": "5m"}}),
		change(object{}),
		{kind: kind, from: "i-shop/web", state: bare, second: object{"instance_id": "i-shop", "name": "web", "repo": "acme/web"}},
		change(object{"branch": "next"}),
		change(object{"port": 8080, "public": false, "health_path": "/ok", "links": []any{"auth"}}),
		change(object{"env": object{"A": "2", "B": "3"}}),
		change(object{"env": object{"A": later}}),
		change(object{"env": later}),
		change(object{"env": nil}),
		change(secrets(object{"A": "1"})),
		change(overlaid(secrets(object{"TOKEN": "the-secret"}), object{"env": object{"A": "1"}})),
		change(overlaid(secrets(object{"TOKEN": later}), object{"env": object{"A": "1"}})),
		change(object{"name": "site"}),
		change(object{"name": "site", "deletion_protection": true}),
		change(object{"repo": "acme/site"}),
		change(object{"repo": "Acme/Web"}),
		change(object{"instance_id": later}),
		change(object{"redeploy_triggers": object{"a": "1"}}),
		change(object{"deploy_commit": "0123456789abcdef0123456789abcdef01234567"}),
		change(object{"memory_mb": 200}),
		change(object{"memory_mb": 1 << 20}),
		change(object{"deletion_protection": true}),
		{kind: kind, from: "i-shop/web"},
		{kind: kind, from: "i-shop/web", state: bare},
		{kind: kind, from: "i-shop/web", state: bare, given: object{"name": "site"}},
		{kind: kind, from: "i-shop/web", state: bare, given: object{"repo": "acme/site"}},
		{kind: kind, from: "i-shop/web", state: bare, given: object{"repo": later}},
		{kind: kind, from: "i-shop/web", state: bare, notes: object{"account": object{"id": "acc-other", "origin": "https://hosting.test"}}},
		{kind: kind, from: "i-shop/web", notes: secret, given: object{"env": object{"A": "1"}}},
		{kind: kind, from: "i-shop/web", notes: secret, given: object{"env": object{"A": "1", "TOKEN": "public now"}}},
		{kind: kind, from: "i-shop/web", notes: secret, given: overlaid(secrets(object{"TOKEN": "the-secret"}), object{"env": object{"A": "1"}})},
		{kind: kind, from: "i-shop/web", notes: secret, given: overlaid(secrets(object{"A": "1"}), object{"env": nil})},
		{kind: kind, from: "i-shop/web", state: object{"env": object{"A": "1"}, "secret_env_wo_version": 1}, notes: secret, given: object{"env": object{"A": "1"}, "secret_env_wo_version": nil}},
		{kind: kind, from: "i-shop/web", state: object{"env": object{"A": "1"}, "secret_env_wo_version": 1}, notes: secret, given: overlaid(object{"env": object{"A": "1"}}, secrets(object{"NEXT_PUBLIC_KEY": "for browsers"}))},
		{kind: kind, from: "i-shop/web", state: object{"env": nil}, given: secrets(object{"TOKEN": "the-secret"})},
		{kind: kind, from: "i-shop/web", state: object{"status": "failed"}, given: object{}},
		{kind: kind, from: "i-shop/web", state: object{"status": "failed", "build_id": nil}, notes: object{"pending": object{"creating": true, "failed": true}}, given: object{}},
		{kind: kind, from: "i-shop/web", state: object{"status": "failed", "deletion_protection": nil}, given: object{"deletion_protection": true}},
		{kind: kind, from: "i-shop/web", state: object{"status": "failed", "deletion_protection": nil}, notes: object{"pending": object{"creating": true, "failed": true, "protected": true}}},
		{kind: kind, from: "i-shop/web", notes: object{"pending": object{"deploying": true}}, given: object{}},
		{kind: kind, from: "i-shop/web", notes: object{"pending": object{"deploying": true, "build": "bld-x"}}, given: object{"port": 8080}},
		{kind: kind, from: "i-shop/web", notes: object{"pending": object{"job": "job-x", "unsure": []any{"port"}}}, given: object{"port": 8080}},
		{kind: kind, from: "i-shop/web", notes: object{"pending": object{"creating": true, "job": "job-x"}}, given: object{"branch": "next"}},
		{kind: kind, from: "i-shop/web", notes: object{"pending": object{"noted": []any{}, "triggers": `{"a":"1"}`}}, given: object{"redeploy_triggers": object{"a": "1"}}},
		{kind: kind, from: "i-shop/web", state: object{"redeploy_triggers": object{"a": "1"}}, given: object{"redeploy_triggers": object{"a": "2"}}},
		{kind: kind, from: "i-shop/web", state: object{"redeploy_triggers": object{"a": "1"}}, given: object{"redeploy_triggers": nil}},
		{kind: kind, from: "i-shop/web", state: object{"deploy_commit": "0123456789abcdef0123456789abcdef01234567", "commit": "0123456789abcdef0123456789abcdef01234567"}, given: object{}},
		{kind: kind, from: "i-shop/web", state: object{"deploy_commit": "0123456789abcdef0123456789abcdef01234567", "commit": "89abcdef0123456789abcdef0123456789abcdef"}, given: object{}},
		{kind: kind, from: "i-shop/none", given: object{}},
		{kind: kind, from: "i-none/web", given: object{}},
		{kind: kind, from: "shop/web", given: object{}},
	}
}

func settingCases() []goldenCase {
	setting := func(kind string, edits ...object) (all []goldenCase) {
		for _, edit := range edits {
			all = append(all, goldenCase{kind: kind, given: overlaid(object{"instance_id": "i-shop"}, edit)})
			all = append(all, goldenCase{kind: kind, from: "i-shop", given: edit})
		}
		id := object{"instance_id": "i-shop"}
		return append(all, goldenCase{kind: kind, from: "i-shop"},
			goldenCase{kind: kind, from: "i-shop", state: object{"on_destroy": "open"}},
			goldenCase{kind: kind, from: "i-shop", second: overlaid(id, edits[1])},
			goldenCase{kind: kind, from: "i-bare", given: object{}},
			goldenCase{kind: kind, given: overlaid(object{"instance_id": "i-none"}, edits[0])},
			goldenCase{kind: kind, given: overlaid(object{"instance_id": later}, edits[0])},
			goldenCase{kind: kind, from: "i-shop", given: object{"instance_id": later}},
			goldenCase{kind: kind, from: "i-none"}, goldenCase{kind: kind, from: "shop"})
	}
	var all []goldenCase
	all = append(all, setting("hosting_allowlist",
		object{"cidrs": []any{"192.0.2.0/24"}},
		object{"cidrs": []any{"198.51.100.7", "2001:db8::/32"}, "on_destroy": "open"},
		object{"cidrs": []any{}},
		object{"cidrs": []any{"0.0.0.0/0"}},
		object{"cidrs": []any{"::/0", "192.0.2.0/24"}, "on_destroy": "keep"},
		object{"cidrs": []any{"192.0.2.1/24"}},
		object{"cidrs": []any{"192.0.2.1", "192.0.2.1/32"}},
		object{"cidrs": []any{"nowhere"}},
		object{"cidrs": []any{""}},
		object{"cidrs": []any{later}},
		object{"cidrs": later},
		object{"cidrs": []any{"192.0.2.0/24"}, "on_destroy": "close"},
		object{"cidrs": []any{"192.0.2.0/24"}, "timeouts": object{"update": "1h"}},
	)...)
	all = append(all, setting("hosting_console_mode",
		object{"mode": "ro"}, object{"mode": "rw"}, object{"mode": "off"}, object{"mode": "none"}, object{"mode": later},
	)...)
	all = append(all, goldenCase{kind: "hosting_auth_settings", from: "i-big", given: object{}})
	return append(all, setting("hosting_auth_settings",
		object{"site_url": "https://shop.example"},
		object{"site_url": "https://other.example", "redirect_urls": []any{"https://other.example/**"}},
		object{"site_url": "https://other.example/", "redirect_urls": []any{}},
		object{"site_url": "HTTPS://Shop.Example"},
		object{"site_url": "shop.example"},
		object{"site_url": ""},
		object{"site_url": later},
		object{"site_url": "https://shop.example", "redirect_urls": []any{"", "elsewhere"}},
		object{"site_url": "https://shop.example", "redirect_urls": later},
		object{"site_url": "https://shop.example", "redirect_urls": []any{later}},
	)...)
}

func postgresCases() []goldenCase {
	on := func(kind string, edits object) goldenCase {
		return goldenCase{kind: kind, given: overlaid(object{"instance_id": "i-shop"}, edits)}
	}
	const database, extension, script = "hosting_postgres_database", "hosting_postgres_extension", "hosting_postgres_script"
	return []goldenCase{
		on(database, object{"name": "blog"}),
		on(database, object{"name": "blog", "deletion_protection": true, "timeouts": object{"create": "5m"}}),
		on(database, object{"name": "orders"}),
		on(database, object{"name": "Not Valid"}),
		on(database, object{"name": "postgres"}),
		on(database, object{"name": later}),
		on(database, object{"name": "blog", "instance_id": "i-none"}),
		on(database, object{"name": "blog", "instance_id": later}),
		{kind: database, from: "i-shop/orders"},
		{kind: database, from: "i-shop/orders", given: object{}},
		{kind: database, from: "i-shop/orders", given: object{"deletion_protection": true}},
		{kind: database, from: "i-shop/orders", given: object{"deletion_protection": true, "name": "blog"}},
		{kind: database, from: "i-shop/orders", given: object{"name": later}},
		{kind: database, from: "i-shop/orders", state: object{"deletion_protection": false}},
		{kind: database, from: "i-shop/orders", state: object{"deletion_protection": false}, given: object{"name": "blog"}},
		{kind: database, from: "i-shop/orders", state: object{"deletion_protection": nil}, notes: object{"pending": object{"creating": true, "failed": true, "protected": true}}, given: object{"deletion_protection": true}},
		{kind: database, from: "i-shop/orders", state: object{"created_at": nil}, notes: object{"pending": object{"creating": true, "job": "job-x"}}, given: object{}},
		{kind: database, from: "i-shop/orders", notes: object{"account": object{"id": "acc-other", "origin": "https://hosting.test"}}, given: object{"deletion_protection": false}},
		{kind: database, from: "i-shop/none", given: object{}},
		{kind: database, from: "i-shop/main", given: object{}},
		{kind: database, from: "i-shop/orders", state: object{"deletion_protection": false}, second: object{"instance_id": "i-shop", "name": "orders"}},
		{kind: database, from: "i-none/orders", given: object{}},
		on(extension, object{"name": "pg_trgm"}),
		on(extension, object{"name": "pg_trgm", "database": "orders"}),
		on(extension, object{"name": "pg_trgm", "database": "none"}),
		on(extension, object{"name": "pg_trgm", "database": later}),
		on(extension, object{"name": "none"}),
		on(extension, object{"name": "Not Valid"}),
		on(extension, object{"name": later}),
		on(extension, object{"name": "pg_trgm", "instance_id": "i-none"}),
		{kind: extension, from: "i-shop/orders/none", given: object{}},
		{kind: extension, from: "i-none/orders/pg_trgm", given: object{}},
		{kind: extension, from: "i-shop/orders/pgcrypto", given: object{}},
		{kind: extension, from: "i-shop/orders/pgcrypto", given: object{"timeouts": object{"delete": "5m"}}},
		{kind: extension, from: "i-shop/orders/pgcrypto", given: object{"database": "blog"}},
		{kind: extension, from: "i-shop/orders/pgcrypto"},
		on(script, object{"sql": "CREATE TABLE a (id int)"}),
		on(script, object{"sql": "CREATE TABLE a (id int)", "destroy_sql": "DROP TABLE a", "database": "orders"}),
		on(script, object{"sql": "CREATE TABLE a (id int)", "database": "none"}),
		on(script, object{"sql": "these are not statements"}),
		on(script, object{"sql": ""}),
		on(script, object{"sql": "SELECT 1", "database": ""}),
		on(script, object{"sql_wo": "", "sql_wo_version": 1}),
		on(script, object{}),
		on(script, object{"sql": "SELECT 1", "sql_wo": "SELECT 1", "sql_wo_version": 1}),
		on(script, object{"sql_wo": "SELECT 'the-secret'", "sql_wo_version": 1}),
		on(script, object{"sql_wo": "SELECT 'the-secret'"}),
		on(script, object{"sql_wo": "these are not statements, but 'the-secret'", "sql_wo_version": 1}),
		on(script, object{"sql_wo_version": 1}),
		on(script, object{"sql": later}),
		on(script, object{"sql_wo": later, "sql_wo_version": 1}),
		on(script, object{"sql": "SELECT 1", "instance_id": "i-none"}),
	}
}

func accountCases() []goldenCase {
	const endpoint, profile = "hosting_webhook_endpoint", "hosting_account_profile"
	return []goldenCase{
		{kind: profile, given: object{"company": "One Company"}},
		{kind: profile, given: object{"company": "Engines Ltd", "name": "Ada"}},
		{kind: profile, given: object{"company": later}},
		{kind: profile, given: object{"company": "", "name": ""}},
		{kind: profile, from: "acc-none", given: object{}},
		{kind: endpoint, given: object{"url": "https://hooks.example/y"}},
		{kind: endpoint, given: object{"url": "https://hooks.example/x"}},
		{kind: endpoint, given: object{"url": "HTTPS://Hooks.Example/x"}},
		{kind: endpoint, given: object{"url": "https://hooks.example/y", "enabled": false, "secret": "the-secret-of-the-endpoint"}},
		{kind: endpoint, given: object{"url": "https://hooks.example/y", "secret_wo": "the-secret-of-the-endpoint", "secret_wo_version": 1}},
		{kind: endpoint, given: object{"url": "https://hooks.example/y", "secret_wo": later, "secret_wo_version": 1}},
		{kind: endpoint, given: object{"url": "https://hooks.example/y", "secret_wo": "the-secret-of-the-endpoint"}},
		{kind: endpoint, given: object{"url": "https://hooks.example/y", "secret_wo_version": 1}},
		{kind: endpoint, given: object{"url": "https://hooks.example/y", "secret": "the-secret-of-the-endpoint", "secret_wo": "the-secret-of-the-endpoint", "secret_wo_version": 1}},
		{kind: endpoint, given: object{"url": "https://hooks.example/y", "secret": later}},
		{kind: endpoint, given: object{"url": "https://hooks.example/y", "secret": ""}},
		{kind: endpoint, given: object{"url": "https://hooks.example/y", "secret": "short"}},
		{kind: endpoint, given: object{"url": "http://localhost/y"}},
		{kind: endpoint, given: object{"url": "hooks.example"}},
		{kind: endpoint, given: object{"url": later}},
		{kind: endpoint, from: "wh-none", given: object{}},
		{kind: endpoint, from: "wh-own", given: object{"url": "https://hooks.example/z"}},
		{kind: endpoint, from: "wh-own", given: object{"url": "https://HOOKS.example/x"}},
		{kind: endpoint, from: "wh-own", given: object{"url": later}},
		{kind: endpoint, from: "wh-own", given: object{"enabled": false}},
		{kind: endpoint, from: "wh-own", given: object{"secret": "the-secret-of-the-endpoint"}},
		{kind: endpoint, from: "wh-own", given: object{"secret_wo": "the-secret-of-the-endpoint", "secret_wo_version": 1}},
		{kind: endpoint, from: "wh-own", state: object{"secret_wo_version": 1}, given: object{"secret_wo": "the-secret-of-the-endpoint", "secret_wo_version": 1}},
		{kind: endpoint, from: "wh-own", state: object{"secret_wo_version": 1}, given: object{"secret_wo": "the-secret-of-the-endpoint", "secret_wo_version": 2}},
		{kind: endpoint, from: "wh-own", state: object{"secret_wo_version": 1}, given: object{"secret_wo_version": nil}},
		{kind: endpoint, from: "wh-own", state: object{"secret": "the-secret-of-the-endpoint"}, given: object{"secret": nil}},
		{kind: endpoint, from: "wh-own", state: object{"secret": "the-secret-of-the-endpoint"}, given: object{"secret": later}},
		{kind: endpoint, from: "wh-own", notes: object{"unknown_secret": true}, given: object{}},
		{kind: endpoint, from: "wh-own"},
		{kind: profile, from: "acc-own", given: object{"company": "Two Companies", "name": ""}},
		{kind: profile, from: "acc-own", given: object{"company": nil, "vat_id": nil}},
		{kind: profile, from: "acc-own", given: object{"company": later}},
		{kind: profile, from: "acc-own", state: object{"id": "acc-other"}, given: object{"company": "Two Companies"}},
		{kind: profile, from: "acc-own", state: object{"id": "acc-other"}, notes: object{"account": object{"id": "acc-other", "origin": "https://hosting.test"}}, given: object{"company": "Two Companies"}},
		{kind: profile, from: "acc-own"},
	}
}

// actionCases returns the actions of TestGoldenActions.
func actionCases() []goldenCase {
	const reset, restore, rotate, restart = "hosting_instance_reset", "hosting_instance_restore", "hosting_instance_rotate", "hosting_engine_restart"
	const redeploy, restartApp = "hosting_app_redeploy", "hosting_app_restart"
	confirmed := object{"instance_id": "i-shop", "confirm": "i-shop"}
	backup := overlaid(confirmed, object{"backup_id": "bak-1"})
	app := object{"instance_id": "i-shop", "app": "web"}
	return []goldenCase{
		{kind: rotate, given: object{"instance_id": "i-shop"}},
		{kind: rotate, given: object{"instance_id": "i-none"}},
		{kind: rotate, given: object{"instance_id": ""}},
		{kind: rotate, given: object{"instance_id": later}},
		{kind: rotate, given: object{"instance_id": "i-shop", "timeouts": object{"invoke": "soon"}}},
		{kind: rotate, given: object{"instance_id": "i-shop", "timeouts": object{"invoke": "1s"}}},
		{kind: reset, given: confirmed},
		{kind: reset, given: overlaid(confirmed, object{"engine": "redis"})},
		{kind: reset, given: overlaid(confirmed, object{"engine": "none"})},
		{kind: reset, given: overlaid(confirmed, object{"engine": ""})},
		{kind: reset, given: overlaid(confirmed, object{"engine": later})},
		{kind: reset, given: overlaid(confirmed, object{"confirm": "shop"})},
		{kind: reset, given: overlaid(confirmed, object{"confirm": later})},
		{kind: reset, given: object{"instance_id": "i-none", "confirm": "i-none", "engine": "redis"}},
		{kind: reset, given: object{"instance_id": later, "confirm": "i-none", "engine": "redis"}},
		{kind: restore, given: backup},
		{kind: restore, given: overlaid(backup, object{"backup_id": "bak-none"})},
		{kind: restore, given: overlaid(backup, object{"backup_id": later})},
		{kind: restore, given: overlaid(backup, object{"instance_id": later})},
		{kind: restore, given: overlaid(backup, object{"confirm": "shop"})},
		{kind: restore, given: object{"instance_id": "i-none", "confirm": "i-none", "backup_id": "bak-1"}},
		{kind: restart, given: object{"instance_id": "i-shop", "engine": "redis"}},
		{kind: restart, given: object{"instance_id": "i-shop", "engine": "none"}},
		{kind: restart, given: object{"instance_id": "i-bare", "engine": "redis"}},
		{kind: restart, given: object{"instance_id": later, "engine": "none"}},
		{kind: restart, given: object{"instance_id": "i-none", "engine": "redis"}},
		{kind: redeploy, given: app},
		{kind: redeploy, given: overlaid(app, object{"app": "none"})},
		{kind: redeploy, given: overlaid(app, object{"app": later})},
		{kind: restartApp, given: app},
		{kind: restartApp, given: overlaid(app, object{"app": "none"})},
		{kind: restartApp, given: overlaid(app, object{"instance_id": "i-none"})},
	}
}
