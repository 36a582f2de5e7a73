package simulation

import (
	"maps"
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
)

// An argument is a part of the configuration that may be set.
type argument int

const (
	argEngines argument = iota
	argPlan
	argMemory
	argTags
	argName
	argRegion
	argProtected
	argTimeout
	argSpare
	argAllowlist
	argOnDestroy
	argConsole
	argAuth
	argEndpoint
	argEndpointSecret
	argDatabase
	argDatabaseProtected
	argExtension
	argScript
	argDestroySQL
	argApp
	argBranch
	argEnv
	argSecretEnv
	argLinks
	argPort
	argPublic
	argTrigger
	argAppProtected
	argProfile
	argEphemeral
	arguments // the number of arguments
)

// values is the number of values of each argument. The value 0 leaves the argument out, or
// is the simplest one.
var values = [arguments]int{
	argEngines: 7, argPlan: 3, argMemory: 3, argTags: 4, argName: 3, argRegion: 2, argProtected: 2, argTimeout: 2, argSpare: 3,
	argAllowlist: 4, argOnDestroy: 2, argConsole: 4, argAuth: 3, argEndpoint: 4, argEndpointSecret: 4,
	argDatabase: 3, argDatabaseProtected: 2, argExtension: 3, argScript: 3, argDestroySQL: 2,
	argApp: 2, argBranch: 2, argEnv: 5, argSecretEnv: 4, argLinks: 2, argPort: 2, argPublic: 2, argTrigger: 3, argAppProtected: 2, argProfile: 4, argEphemeral: 2,
}

func (a argument) String() string {
	return [...]string{"engines", "plan", "memory", "tags", "name", "region", "protected", "timeout", "spare", "allowlist", "on_destroy",
		"console", "auth", "endpoint", "endpoint_secret", "database", "database_protected", "extension", "script", "destroy_sql",
		"app", "branch", "env", "secret_env", "links", "port", "public", "trigger", "app_protected", "profile", "ephemeral"}[a]
}

// A configuration assigns a value to each argument.
type configuration [arguments]int

func (c *configuration) edit(edits []edit) {
	for _, e := range edits {
		c[e.Argument] = e.Value
	}
}

// A block is a resource block. An argument is a string, an int, a bool, a []string, a
// map[string]any, a reference or a value.
type block struct {
	kind, address string
	// level orders blocks: those with a lower level are created first and destroyed last.
	level     int
	arguments map[string]any
}

// A reference is another resource's attribute.
type reference struct{ address, attribute string }

const (
	webAddress   = "hosting_instance.web"
	spareAddress = "hosting_instance.spare"
	appAddress   = "hosting_app.this"
)

// secretsOf returns the secrets in configurations.
var (
	endpointSecrets = orNone("WebhookCreate", "secret")
	secretVariables = []string{"", "secret-variable-one", "secret-variable-two", "secret-variable-three"}
)

// Values that the document names as examples.
var (
	plans     = apispec.Examples[string]("InstanceCreate", "plan")
	regions   = apispec.Examples[string]("InstanceCreate", "region")
	ranges    = apispec.Examples[[]string]("Allowlist", "allowlist")
	modes     = orNone("Console", "mode")
	sites     = orNone("AuthSettings", "site_url")
	redirects = apispec.Examples[[]string]("AuthSettings", "redirect_urls")
	endpoints = orNone("WebhookCreate", "url")
	databases = orNone("DatabaseCreate", "name")
	companies = append(orNone("Account", "company"), " Three Companies\n")
	branches  = apispec.Examples[string]("AppImport", "branch")
	ports     = apispec.Examples[int]("AppImport", "port")
)

// orNone returns the examples of a property, after "".
func orNone(schema, property string) []string {
	return append([]string{""}, apispec.Examples[string](schema, property)...)
}

var engineSets = [][]string{
	{"postgres"}, {"postgres", "apps"}, {"postgres", "apps", "auth"}, {"postgres", "redis"}, {}, {"couchdb", "nats", "postgres"}, {"apps"},
}

func (c configuration) engines() []string { return engineSets[c[argEngines]] }

func (c configuration) has(engine string) bool { return slices.Contains(c.engines(), engine) }

// instanceBlock returns the configuration's instance, with an address, a name and tags.
func (c configuration) instanceBlock(address, name string, tags []string) block {
	engines := map[string]any{}
	for _, engine := range c.engines() {
		engines[engine] = map[string]any{}
	}
	if c[argMemory] > 0 && c.has("postgres") {
		engines["postgres"] = map[string]any{"memory_mb": []int{0, 600, 700}[c[argMemory]]}
	}
	a := map[string]any{
		"name": name, "plan": plans[c[argPlan]], "region": regions[c[argRegion]],
		"engines": engines, "deletion_protection": c[argProtected] == 1,
	}
	if tags != nil {
		a["tags"] = tags
	}
	if c[argTimeout] == 1 {
		a["timeouts"] = map[string]any{"create": "5m"}
	}
	return block{"hosting_instance", address, 0, a}
}

func (c configuration) tags() []string { return [][]string{nil, {"a"}, {"a", "b"}, {}}[c[argTags]] }

func (c configuration) name() string { return []string{"web", "site", "Shop "}[c[argName]] }

// blocks returns the resource blocks of the configuration. It leaves out blocks that need
// an engine that is off.
func (c configuration) blocks() []block {
	id := reference{webAddress, "id"}
	all := []block{c.instanceBlock(webAddress, c.name(), c.tags())}
	switch c[argSpare] {
	case 1:
		all = append(all, configuration{}.instanceBlock(spareAddress, "spare", nil))
	case 2: // the same in everything that the service sees
		all = append(all, c.instanceBlock(spareAddress, c.name(), c.tags()))
	}
	add := func(given bool, kind string, level int, arguments map[string]any) {
		if given {
			all = append(all, block{kind, kind + ".this", level, arguments})
		}
	}
	add(c[argAllowlist] > 0, "hosting_allowlist", 1, map[string]any{
		"instance_id": id, "cidrs": [][]string{nil, ranges[0], ranges[1], {}}[c[argAllowlist]],
		"on_destroy": []string{"keep", "open"}[c[argOnDestroy]],
	})
	add(c[argConsole] > 0 && c.has("postgres"), "hosting_console_mode", 1, map[string]any{
		"instance_id": id, "mode": modes[c[argConsole]],
	})
	add(c[argAuth] > 0 && c.has("auth"), "hosting_auth_settings", 1, map[string]any{
		"instance_id": id, "site_url": sites[c[argAuth]],
		"redirect_urls": [][]string{nil, redirects[0], {}}[c[argAuth]],
	})
	add(c[argEndpoint] > 0, "hosting_webhook_endpoint", 1, c.endpoint())
	add(c[argDatabase] > 0 && c.has("postgres"), "hosting_postgres_database", 1, map[string]any{
		"instance_id": id, "name": databases[c[argDatabase]], "deletion_protection": c[argDatabaseProtected] == 1,
	})
	extension := map[string]any{"instance_id": id, "name": "pg_trgm"} // in the instance's own database
	if c[argExtension] == 2 && c[argDatabase] > 0 {
		extension["name"], extension["database"] = "pgcrypto", reference{"hosting_postgres_database.this", "name"}
	}
	add(c[argExtension] > 0 && c.has("postgres"), "hosting_postgres_extension", 2, extension)
	script := map[string]any{"instance_id": id, "sql": []string{"", "create one", "create two"}[c[argScript]]}
	if c[argDestroySQL] == 1 {
		script["destroy_sql"] = "drop it"
	}
	add(c[argScript] > 0 && c.has("postgres"), "hosting_postgres_script", 2, script)
	add(c[argProfile] > 0, "hosting_account_profile", 1, map[string]any{"company": companies[c[argProfile]]})
	add(c[argApp] > 0 && c.has("apps"), "hosting_app", 1, c.app())
	return all
}

func (c configuration) endpoint() map[string]any {
	a := map[string]any{
		"url":     slices.Concat(endpoints, endpoints[1:])[c[argEndpoint]],
		"enabled": c[argEndpoint] != 3,
	}
	switch secret := endpointSecrets[c[argEndpointSecret]]; {
	case c[argEndpointSecret] > 1:
		a["secret_wo"], a["secret_wo_version"] = secret, c[argEndpointSecret]
	case c[argEndpointSecret] > 0:
		a["secret"] = secret
	}
	return a
}

func (c configuration) app() map[string]any {
	a := map[string]any{
		"instance_id": reference{webAddress, "id"}, "name": "guestbook", "repo": "octo/guestbook",
		"branch": branches[c[argBranch]], "port": ports[c[argPort]], "public": c[argPublic] == 1,
		"deletion_protection": c[argAppProtected] == 1,
	}
	env := []map[string]any{nil, {"A": "1"}, {"A": "2", "B": "3"}, {}, {"A": "1\n"}}[c[argEnv]]
	if c[argSecretEnv] > 0 {
		secret := map[string]any{"TOKEN": secretVariables[c[argSecretEnv]]}
		if c[argSecretEnv] == 3 { // B moves between env and secret_env_wo
			secret["B"] = secretVariables[3]
			delete(env, "B")
		}
		a["secret_env_wo"], a["secret_env_wo_version"] = secret, c[argSecretEnv]
	}
	if env != nil {
		a["env"] = env
	}
	if c[argLinks] == 1 && c.has("auth") {
		a["links"] = []string{"auth"}
	}
	if c[argTrigger] > 0 {
		a["redeploy_triggers"] = map[string]any{"n": []string{"", "one", "two"}[c[argTrigger]]}
	}
	return a
}

// otherBlocks returns the second CLI's blocks, next to a configuration of the first. id is
// the first CLI's instance, or "" if it has none, and postgres reports whether that
// instance has the engine.
func (c configuration) otherBlocks(other otherState, id string, postgres bool) []block {
	switch other {
	case twin:
		return []block{c.instanceBlock(webAddress, c.name(), c.tags())}
	case namesake:
		return []block{c.instanceBlock(webAddress, c.name(), []string{"other"})}
	case theSame:
		if id != "" {
			return []block{c.instanceBlock(webAddress, c.name(), c.tags())}
		}
	case onTheSame:
		if postgres {
			return []block{
				{"hosting_console_mode", "hosting_console_mode.this", 1, map[string]any{"instance_id": id, "mode": "ro"}},
				{"hosting_postgres_database", "hosting_postgres_database.this", 1, map[string]any{"instance_id": id, "name": "other", "deletion_protection": false}},
			}
		}
	}
	return nil
}

// byAddress returns blocks by their addresses.
func byAddress(blocks []block) map[string]block {
	all := map[string]block{}
	for _, b := range blocks {
		all[b.address] = b
	}
	return all
}

// references returns the addresses that a block refers to.
func (b block) references() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(b.arguments)) {
		if r, ok := b.arguments[name].(reference); ok {
			all = append(all, r.address)
		}
	}
	return all
}
