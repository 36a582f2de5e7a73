package reports

import (
	"strings"
	"testing"
)

// The value of an argument is known only in the apply. Whatever it turns out to be, the apply
// keeps the plan, and the next plan is empty.
func TestValueKnownInTheApply(t *testing.T) {
	const u = "terraform_data.u.output"
	app := func(more string) string { return machine("") + web(onMachine, more) }
	hook := func(more string) string { return endpoint("https://hooks.example.com/in", more) }
	of := func(old, replacement string) string { return strings.Replace(machine(""), old, replacement, 1) }
	all := situations{}
	for name, c := range map[string]struct {
		hcl    string
		values []string
	}{
		"name": {of(`"shop"`, "lower("+u+")"), []string{"shop", "store"}},
		"plan": {of(`"free"`, "lower("+u+")"), []string{"free", "medium"}},
		"engines": {of("{ postgres = {}, apps = {}, auth = {} }", "jsondecode("+u+")"),
			[]string{`{"postgres":{}}`, `{"postgres":{},"redis":{}}`}},
		"budget":          {of("postgres = {}", "postgres = { memory_mb = tonumber("+u+") }"), []string{"512", "640"}},
		"protection":      {of("protection = false", "protection = "+u+` == "yes"`), []string{"no", "yes", "no"}},
		"tags":            {machine("tags = jsondecode(" + u + ")"), []string{`["x"]`, `["y","z"]`, "[]", "null"}},
		"port":            {app("port = tonumber(" + u + ")"), []string{"3000", "8080"}},
		"branch":          {app("branch = lower(" + u + ")"), []string{"main", "next"}},
		"memory":          {app("memory_mb = tonumber(" + u + ")"), []string{"512"}},
		"public":          {app("public = " + u + ` == "yes"`), []string{"yes", "no"}},
		"links":           {app("links = jsondecode(" + u + ")"), []string{`["auth"]`, "[]", "null"}},
		"variable":        {app("env = { A = " + u + " }"), []string{"1", "2"}},
		"variables":       {app("env = jsondecode(" + u + ")"), []string{`{"A":"1"}`, `{"B":"2"}`, "{}", "null"}},
		"secret variable": {app("secret_env_wo = { A = " + u + " }\n  secret_env_wo_version = 1"), []string{"1"}},
		"on_destroy": {machine("") + resource("hosting_allowlist.list", onMachine, `cidrs = ["203.0.113.0/24"]`, "on_destroy = lower("+u+")"),
			[]string{"keep", "open"}},
		"enabled":           {hook("enabled = " + u + ` == "yes"`), []string{"yes", "no"}},
		"secret":            {hook("secret = " + u), []string{"0123456789abcdef-one", "0123456789abcdef-two"}},
		"secret or null":    {hook("secret = " + u + ` == "none" ? null : ` + u), []string{"0123456789abcdef-one", "none"}},
		"write-only secret": {hook("secret_wo = " + u + "\n  secret_wo_version = 1"), []string{"0123456789abcdef-one"}},
	} {
		all[name] = func(w *world) {
			w.free("medium")
			for _, value := range c.values {
				hcl := unknownly("u", strings.ReplaceAll(value, `"`, `\"`)) + c.hcl
				w.run(hcl, "apply").succeeds().never("replace", "delete")
				w.settled(hcl)
			}
		}
	}
	report(t, "hetznercloud/terraform-provider-hcloud#1478", "a value that is known in the apply", all)
}
