package main

import (
	"encoding/json"
	"slices"
)

// setupFor returns the initial content of a fake with n instances that match a
// configuration with the members.
func setupFor(members []member, n int) ([]byte, error) {
	type object map[string]any
	has := func(m member) bool { return slices.Contains(members, m) }
	instances := make([]object, 0, n)
	for row := range n {
		auth := object{}
		instance := object{
			"id": idOf(row), "name": nameOf(row), "plan": "free", "region": "eu-central", "tags": []string{"bench"},
			"engines": object{"postgres": object{}, "apps": object{}, "auth": auth},
		}
		if has(allowlist) {
			instance["allowlist"] = []string{"203.0.113.0/24"}
		}
		if has(consoleMode) {
			instance["console_mode"] = "ro"
		}
		if has(authSettings) {
			auth["site_url"], auth["redirect_urls"] = "https://bench.example", []string{"https://bench.example/**"}
		}
		if has(anApp) {
			instance["apps"] = []object{{
				"name": "web", "repo": "acme/shop", "branch": "main", "port": 3000, "health_path": "/healthz", "public": true,
				"env": object{"KEY": "value"},
			}}
		}
		if has(database) {
			instance["databases"] = []string{"stock"}
		}
		instances = append(instances, instance)
	}
	return json.Marshal(object{"instances": instances})
}
