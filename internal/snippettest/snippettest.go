// Package snippettest completes a snippet of configuration. An example or a block of a
// page may refer to resources and variables that exist only in the reader's own module.
package snippettest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A Reference is the address of a managed resource.
type Reference struct{ Type, Name string }

func (r Reference) String() string { return r.Type + "." + r.Name }

// Missing lists the objects that a snippet refers to but does not declare.
type Missing struct {
	Resources []Reference // of this provider, by address
	Variables []string    // by name
	// Providers reports whether the snippet lacks a required_providers block.
	Providers bool
	// on is the instance that the resources belong to.
	on string
}

// bodies contains the minimal configuration of each type. Each %s is the label of an
// instance, which is also its name.
var bodies = map[string]string{
	"hosting_instance":           "name                = %q\n  plan                = \"free\"\n  region              = \"eu-central\"\n  engines             = { postgres = {}, apps = {}, auth = {} }\n  deletion_protection = false",
	"hosting_app":                "instance_id         = hosting_instance.%s.id\n  name                = \"web\"\n  repo                = \"acme/shop\"\n  public              = true\n  deletion_protection = false",
	"hosting_allowlist":          "instance_id = hosting_instance.%s.id\n  cidrs       = [\"203.0.113.0/24\"]",
	"hosting_console_mode":       "instance_id = hosting_instance.%s.id\n  mode        = \"off\"",
	"hosting_auth_settings":      "instance_id   = hosting_instance.%s.id\n  site_url      = \"https://shop.example\"\n  redirect_urls = []",
	"hosting_webhook_endpoint":   "url = \"https://hooks.example/events\"",
	"hosting_postgres_database":  "instance_id         = hosting_instance.%s.id\n  name                = \"orders\"\n  deletion_protection = false",
	"hosting_postgres_extension": "instance_id = hosting_instance.%s.id\n  name        = \"pgvector\"",
	"hosting_account_profile":    "",
}

var (
	declared   = regexp.MustCompile(`(?m)^(?:resource|variable) "(\w+)"(?: "(\w+)")? \{`)
	referred   = regexp.MustCompile(`(?:^|[^\w."])(hosting_\w+)\.(\w+)`)
	variables  = regexp.MustCompile(`\bvar\.(\w+)`)
	inComments = regexp.MustCompile(`(?m)(^|\s)#.*$`)
)

// Of returns the objects that a snippet needs in addition to its own.
func Of(snippet string) Missing {
	code := inComments.ReplaceAllString(snippet, "")
	here := map[string]bool{}
	var instances []string
	for _, match := range declared.FindAllStringSubmatch(code, -1) {
		here[strings.TrimSuffix(match[1]+"."+match[2], ".")] = true
		if match[1] == "hosting_instance" {
			instances = append(instances, match[2])
		}
	}
	missing := map[Reference]bool{}
	for _, match := range referred.FindAllStringSubmatch(code, -1) {
		r := Reference{match[1], match[2]}
		if _, known := bodies[r.Type]; known && !here[r.String()] {
			missing[r] = true
		}
		if match[1] == "hosting_instance" {
			instances = append(instances, match[2])
		}
	}
	m := Missing{Providers: !strings.Contains(code, "required_providers"), on: "example"}
	if len(instances) > 0 {
		m.on = instances[0]
	}
	for r := range missing {
		if instance := (Reference{"hosting_instance", m.on}); strings.Contains(bodies[r.Type], "hosting_instance.") && !here[instance.String()] {
			missing[instance] = true
		}
	}
	m.Resources = slices.SortedFunc(maps.Keys(missing), func(a, b Reference) int { return strings.Compare(a.String(), b.String()) })
	names := map[string]bool{}
	for _, match := range variables.FindAllStringSubmatch(code, -1) {
		if !here[match[1]] {
			names[match[1]] = true
		}
	}
	m.Variables = slices.Sorted(maps.Keys(names))
	return m
}

// Configuration returns minimal declarations of the missing objects.
func (m Missing) Configuration() string {
	var all strings.Builder
	if m.Providers {
		all.WriteString("terraform {\n  required_providers {\n    hosting    = { source = \"instance-hosting/hosting\" }\n" +
			"    postgresql = { source = \"cyrilgdev/postgresql\" }\n  }\n}\n")
	}
	for _, r := range m.Resources {
		body := bodies[r.Type]
		switch {
		case r.Type == "hosting_instance":
			body = fmt.Sprintf(body, r.Name)
		case strings.Contains(body, "%s"):
			body = fmt.Sprintf(body, m.on)
		}
		fmt.Fprintf(&all, "resource %q %q {\n  %s\n}\n", r.Type, r.Name, body)
	}
	for _, name := range m.Variables {
		fmt.Fprintf(&all, "variable %q {\n  type = string\n}\n", name)
	}
	return all.String()
}
