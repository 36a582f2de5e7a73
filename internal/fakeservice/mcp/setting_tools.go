package mcp

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// enginesOf are the arguments of the whole set of engines.
type enginesOf struct {
	onInstance
	Engines map[string]budget `json:"engines" jsonschema:"every engine that is to be on, by name: postgres, redis, couchdb, nats, apps, auth"`
}

// budget is how much memory an engine gets.
type budget struct {
	MemoryMB *int `json:"memory_mb,omitempty" jsonschema:"left out, the engine gets its floor"`
}

// allowlist are the arguments of an allowlist.
type allowlist struct {
	onInstance
	Allowlist []string `json:"allowlist" jsonschema:"addresses and CIDR blocks that may connect"`
}

// console are the arguments of a console mode.
type console struct {
	onInstance
	Mode string `json:"mode" jsonschema:"off, read-only (ro) or read-write (rw)"`
}

// consoleModes are the modes as the service knows them, by the words that the tool takes.
var consoleModes = map[string]string{"off": "off", "read-only": "ro", "read-write": "rw", "ro": "ro", "rw": "rw"}

// authSettings are the arguments of the auth engine's settings.
type authSettings struct {
	onInstance
	SiteURL      *string  `json:"site_url,omitempty" jsonschema:"the public URL of the app; left out, it stays"`
	RedirectURLs []string `json:"redirect_urls,omitempty" jsonschema:"where redirects may lead, such as the app's URL followed by /**; left out, they stay"`
}

// addSettings adds the tools that set how an instance is.
func (t tools) addSettings() {
	s := t.Service
	add(t, about{
		name: "set_engines", title: "Set engines and budgets", effect: replacing,
		text: "Sets which engines are on, and their memory budgets, which must fit the plan together. An engine that is left out is turned off and its data is gone.",
	}, func(_ context.Context, in enginesOf) (core.Accepted, error) {
		wanted := map[string]core.EngineBudget{}
		for name, engine := range in.Engines {
			wanted[name] = core.EngineBudget(engine)
		}
		return s.SetEngines(in.InstanceID, wanted)
	})
	add(t, about{
		name: "set_allowlist", title: "Set the IP allowlist", effect: replacing,
		text: "Replaces the IP allowlist of an instance, within a minute. An empty list opens the instance to the internet; TLS and a password are still needed.",
	}, func(_ context.Context, in allowlist) (core.Accepted, error) {
		return s.SetAllowlist(in.InstanceID, in.Allowlist)
	})
	add(t, about{
		name: "set_sql_console", title: "Set the SQL console's mode", effect: replacing,
		text:  "Sets what postgres_query may do: nothing (off), read, or read and write. Turn it off again when the work is done.",
		words: map[string][]any{"mode": {"off", "read-only", "read-write", "ro", "rw"}},
	}, func(_ context.Context, in console) (core.Accepted, error) {
		return s.SetConsole(in.InstanceID, consoleModes[in.Mode])
	})
	add(t, about{
		name: "get_auth_settings", title: "Auth settings", effect: reading,
		text: "Shows where the auth engine's redirects return.",
	}, func(ctx context.Context, in onInstance) (core.AuthSettingsRecord, error) {
		return s.AuthSettings(ctx, in.InstanceID)
	})
	add(t, about{
		name: "set_auth_settings", title: "Set auth settings", effect: replacing,
		text: "Sets where the auth engine's redirects return. What is left out stays.",
	}, func(_ context.Context, in authSettings) (core.Accepted, error) {
		return s.UpdateAuthSettings(in.InstanceID, core.AuthSettingsChange{SiteURL: in.SiteURL, RedirectURLs: listSent(in.RedirectURLs)})
	})
}
