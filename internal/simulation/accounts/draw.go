package accounts

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Drawn generates accounts. The first element of every choice is the simplest, because
// shrinking moves towards it.
func Drawn() *rapid.Generator[Account] {
	return rapid.Custom(func(t *rapid.T) Account {
		a := Account{
			Profile: Profile{
				Name: maybe(t, "name", text), Company: maybe(t, "company", text),
				Address: maybe(t, "address", text), VATID: maybe(t, "VAT", text),
			},
			DefaultTags: pick[[]string](t, "default tags", nil, nil, []string{"team"}, []string{"a", "team"}),
		}
		for n := range rapid.IntRange(0, 5).Draw(t, "instances") {
			a.Instances = append(a.Instances, instance(t, n, a.DefaultTags))
		}
		for range rapid.IntRange(0, 4).Draw(t, "endpoints") {
			a.Endpoints = append(a.Endpoints, Endpoint{
				URL: pick(t, "URL", "https://hooks.example/a", "https://hooks.example/a", "https://HOOKS.example/a", "https://hooks.example:8443/b?x=$%7By%7D&z=%25{if}",
					"https://[2001:db8::1]/", "https://user@hooks.example/ü#part"),
				Enabled: pick(t, "enabled", true, false),
			})
		}
		return a
	})
}

func pick[T any](t *rapid.T, label string, of ...T) T { return rapid.SampledFrom(of).Draw(t, label) }

func maybe(t *rapid.T, label string, draw func(*rapid.T, string) string) string {
	if pick(t, label+" given", false, true) {
		return draw(t, label)
	}
	return ""
}

// fragments are the parts of generated texts: words, and characters that are special in a
// configuration language, a terminal or JSON.
var fragments = []string{
	"web", "Example Ltd", "ä", "e\u0301", "日本", "🙂", `"`, `\`, `\n`, "'", "`", "${var.x}", "$${", "%{ if true }", "%%{", "$", "%", "%s",
	"\n", "\r\n", "\t", "<<EOT", "EOT", "#", "//", "/*", " ", "\u00a0", "\u2028", "\u200b", "\u202e", "\x01", "null", "true", "42", "{", "}", "[",
	"<b>", "&amp;", ",", "=", ":", "/",
}

// OddText is all fragments joined together.
func OddText() string { return strings.Join(fragments, "") }

// text returns a text that is neither empty nor only white space, which the service would
// refuse.
func text(t *rapid.T, label string) string {
	made := strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 1, 4).Draw(t, label), "")
	if strings.TrimSpace(made) == "" {
		return "web" + made
	}
	return made
}

// several draws some elements of a list, each at most once.
func several[T any](t *rapid.T, label string, of ...T) []T {
	var drawn []T
	for n, one := range of {
		if pick(t, fmt.Sprint(label, " ", n), false, true) {
			drawn = append(drawn, one)
		}
	}
	return drawn
}

// memories are the plans' amounts of memory, from the catalogue of the fake.
var memories = map[string]int{"free": 1536, "small": 2048, "medium": 4096, "large": 8192, "xlarge": 16384}

// floors are the minimum budgets, from the same catalogue.
var floors = map[string]int{"postgres": 512, "redis": 64, "couchdb": 256, "nats": 64, "apps": 512, "auth": 256}

func instance(t *rapid.T, n int, defaultTags []string) Instance {
	i := Instance{Instance: fakeservice.Instance{
		ID: fmt.Sprintf("i-%d", n), Name: text(t, "instance"),
		Plan:   pick(t, "plan", "free", "small", "medium", "large", "xlarge", "retired"),
		Region: pick(t, "region", "eu-central", "us-east", "ap-southeast", "closed"),
		Status: pick(t, "status", fakeservice.StatusRunning, fakeservice.StatusRunning, fakeservice.StatusRunning, fakeservice.StatusRunning,
			fakeservice.StatusCreating, fakeservice.StatusFailed, fakeservice.StatusDeleting),
		Engines: engines(t),
		Tags:    tags(t, defaultTags),
	}}
	i.ConsoleMode = pick(t, "console", "off", "ro", "rw")
	memory := memories[i.Plan]
	for _, engine := range i.Engines {
		memory -= engine.MemoryMB
	}
	if i.Engines["postgres"] != nil && memory > 0 {
		i.Engines["postgres"].MemoryMB += rapid.IntRange(0, memory).Draw(t, "more memory")
	} else if memory < 0 && i.Plan != "retired" {
		i.Plan = "medium"
	}
	i.Allowlist = allowlist(t)
	if i.Status != fakeservice.StatusRunning {
		return i
	}
	if i.Engines["apps"] != nil {
		for n := range rapid.IntRange(0, 3).Draw(t, "apps") {
			i.Apps = append(i.Apps, app(t, n, i.Engines["auth"] != nil))
		}
	}
	if i.Engines["postgres"] != nil {
		i.Databases = several(t, "database", "orders", "a_b", "Odd-Name")
		for _, database := range append([]string{OwnDatabase}, i.Databases...) {
			for _, name := range several(t, "extension", "pgcrypto", "pgvector", "pg_trgm") {
				i.Extensions = append(i.Extensions, fakeservice.Extension{Name: name, Database: database, Version: "1.3"})
			}
		}
	}
	return i
}

func engines(t *rapid.T) map[string]*fakeservice.Engine {
	names := pick(t, "engines", []string{"postgres"}, []string{"postgres", "apps"}, []string{"postgres", "apps", "auth"}, []string{"postgres", "apps", "auth"},
		nil, []string{"redis"}, []string{"couchdb", "nats", "postgres"}, []string{"apps"}, []string{"postgres", "redis", "couchdb", "nats", "apps", "auth"})
	on := map[string]*fakeservice.Engine{}
	for _, name := range names {
		on[name] = &fakeservice.Engine{MemoryMB: floors[name]}
	}
	if auth := on["auth"]; auth != nil && pick(t, "auth is set", false, true) {
		auth.SiteURL = pick(t, "site", "https://app.example", "http://localhost:3000", "https://APP.example/$%7Bx%7D?a=%25{b}", "https://ü.example/#/")
		auth.RedirectURLs = several(t, "redirect", "https://app.example/**", "https://*.app.example/**?x=${y}", "myapp://callback", "http://localhost:3000/\"quoted\"")
	}
	return on
}

func tags(t *rapid.T, defaultTags []string) []string {
	own := several(t, "tag", "a", "production", "${team}", "e\u0301\n", `"quoted"`)
	if pick(t, "has the default tags", true, true, false) {
		own = append(own, defaultTags...)
	}
	slices.Sort(own)
	return slices.Compact(own)
}

// allowlist returns an allowlist that a person might enter in the portal, including other
// spellings of a block, and host bits.
func allowlist(t *rapid.T) []string {
	return pick(t, "allowlist", nil, []string{"203.0.113.0/24"}, []string{"203.0.113.7"}, []string{"203.0.113.7/32", "2001:db8::/32"},
		[]string{"0.0.0.0/0", "::/0"}, []string{"2001:DB8:0:0::1", "::1/128"}, []string{"203.0.113.7/24"}, []string{"2001:db8::1/64"},
		[]string{"203.0.113.7", "203.0.113.7/32"}, []string{"203.0.113.0/24", "203.0.113.9/24"}, []string{"::ffff:203.0.113.7"})
}

func app(t *rapid.T, n int, auth bool) fakeservice.App {
	a := fakeservice.App{
		Name: pick(t, "app", "web", "a-1", "Odd_Name") + fmt.Sprint(n), Repo: pick(t, "repo", "octo/web", "Octo/Web.js", "octo/_-"),
		Branch: pick(t, "branch", "main", "feature/${x}", `release-"1"`, "ü"), Port: pick(t, "port", 3000, 8080, 1, 65535),
		HealthPath: pick(t, "health", "/healthz", "/", "/up?deep=${x}&y=%{z}"), Public: pick(t, "public", false, true),
		MemoryMB: pick(t, "memory", 512, 600),
		Status: pick(t, "app's status", fakeservice.StatusRunning, fakeservice.StatusRunning, fakeservice.StatusRunning,
			fakeservice.StatusFailed, fakeservice.StatusStopped, fakeservice.StatusBuilding),
	}
	for _, key := range several(t, "variable", "TOKEN", "NEXT_PUBLIC_URL", "odd-key.x") {
		if a.Env == nil {
			a.Env = map[string]string{}
		}
		a.Env[key] = maybe(t, "value", text) + SecretOfAll
	}
	if auth && pick(t, "linked", false, true) {
		a.Links = []string{"auth"}
	}
	built := fakeservice.Build{ID: fmt.Sprintf("bld-%d", n), Status: fakeservice.StatusSuccessful, Commit: "c0ffee"}
	failed := fakeservice.Build{ID: fmt.Sprintf("bld-%d-failed", n), Status: "failed", Commit: "bad", Error: "it does not compile"}
	switch a.Status {
	case fakeservice.StatusFailed:
		a.Builds = pick(t, "builds of a failed app", []fakeservice.Build{failed}, []fakeservice.Build{failed, built}, []fakeservice.Build{built})
	case fakeservice.StatusBuilding:
		a.Builds = pick(t, "builds of one being built", nil, []fakeservice.Build{built})
	default:
		a.Builds = pick(t, "builds", []fakeservice.Build{built}, []fakeservice.Build{failed, built})
	}
	return a
}
