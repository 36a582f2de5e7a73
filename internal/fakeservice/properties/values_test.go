package properties

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"
)

// values draws values that fit a schema. Most of them also make sense in the account,
// such as existing ids, plans and names, so that requests pass the first checks.
type values struct {
	t  *rapid.T
	of *account
	// operation is the operation of the values, and path has the values of its path.
	operation *operation
	path      map[string]string
}

// draw draws a value that fits a schema, for a member with this name.
func (v *values) draw(name string, s *openapi3.Schema) any {
	if takesNull(s) && v.oneIn(4) {
		return nil
	}
	switch typeOf(s) {
	case openapi3.TypeObject:
		return v.object(name, s)
	case openapi3.TypeArray:
		list := []any{}
		for range v.small() {
			list = append(list, v.draw(name, s.Items.Value))
		}
		return list
	case openapi3.TypeBoolean:
		return v.oneIn(2)
	case openapi3.TypeInteger:
		return v.integer(name)
	}
	if len(s.Enum) > 0 {
		return pick(v.t, name, s.Enum)
	}
	return v.text(name)
}

// object draws an object with the required members and some of the others.
func (v *values) object(name string, s *openapi3.Schema) map[string]any {
	wanted := slices.Clone(s.Required)
	if len(s.AnyOf) > 0 {
		wanted = append(wanted, rapid.SampledFrom(s.AnyOf).Draw(v.t, name+" of any").Value.Required...)
	}
	object := map[string]any{}
	for _, member := range propertyNames(s) {
		if slices.Contains(wanted, member) || v.chosen(name, member) {
			object[member] = v.draw(member, s.Properties[member].Value)
		}
	}
	if more := s.AdditionalProperties.Schema; more != nil {
		for range v.small() {
			object[v.text(name+" name")] = v.draw(name+" value", more.Value)
		}
	}
	return object
}

// chosen draws whether an object has an optional member. Most engines are on, because
// they depend on each other.
func (v *values) chosen(object, member string) bool {
	switch {
	case member == "tier":
		return v.oneIn(20) // it must then equal plan
	case object == "engines" && (member == "postgres" || member == "apps"):
		return !v.oneIn(8)
	case member == "memory_mb":
		return v.oneIn(3)
	}
	return v.oneIn(2)
}

// oneIn draws true with a probability of 1 in n.
func (v *values) oneIn(n int) bool { return index(v.t, n) == n-1 }

// small draws the length of a list.
func (v *values) small() int { return pick(v.t, "length", []int{1, 0, 2, 1, 3}) }

// integer draws a number. Some are written unusually, and some are too large for any
// integer type.
func (v *values) integer(name string) any {
	plausible := examples()[name]
	if name == "limit" {
		plausible = []any{2, 1, 200}
	}
	if !v.oneIn(8) {
		return pick(v.t, name, plausible)
	}
	if name == "limit" { // a query has only one way to write a number
		return pick(v.t, "odd limit", []int{0, -1, 201, 1 << 40})
	}
	odd := []any{0, -1, 65536, 201, json.Number("3000.0"), json.Number("3e3"), json.Number("-0"), outsized[0], outsized[1]}
	return pick(v.t, "odd "+name, odd)
}

// text draws a text, mostly one that makes sense for the member.
func (v *values) text(name string) string {
	if v.oneIn(7) {
		return v.odd()
	}
	if plausible := v.plausible(name); len(plausible) > 0 {
		return pick(v.t, name, plausible)
	}
	return v.odd()
}

// oddTexts has texts that may cause errors in a service.
var oddTexts = []string{
	"", " ", "x", "import", "null", "../..", "a/b", "%2e%2e", "a b", "Ünïcode ✓", "\u202eabc", "emoji 👩‍👩‍👧", "<script>alert(1)</script>", `"'; drop table x; --`,
	"line\nbreak", "tab\there", "nul\x00", "esc\x1b[31m", "\u0085", "\ufffd", "https://", "https://x.example.com:99999/", "javascript:alert(1)", "http://[::1", "0.0.0.0/0", "::/0", "::ffff:10.0.0.1/96",
	"0", "-1", "HEAD", "postgres", "template0", "main", "constructor", "__proto__", "auth", "oracle",
}

// odd draws a text that makes no sense, and sometimes a very long one.
func (v *values) odd() string {
	switch index(v.t, 31) {
	case 30:
		return strings.Repeat("a", 70_000)
	case 29:
		return strings.Repeat("ü", 101)
	case 28:
		return strings.Repeat("a", pick(v.t, "long", []int{40, 41, 63, 64, 65, 100, 101}))
	case 27, 26:
		return rapid.String().Draw(v.t, "any text")
	}
	return pick(v.t, "odd text", oddTexts)
}

// examples returns the document's examples of the members of requests, by name. An array's
// name has the examples of its elements.
var examples = sync.OnceValue(func() map[string][]any {
	all := map[string][]any{}
	var add func(*openapi3.Schema)
	add = func(s *openapi3.Schema) {
		for _, name := range propertyNames(s) {
			member := s.Properties[name].Value
			for _, example := range member.Examples {
				if list, ok := example.([]any); ok {
					all[name] = append(all[name], list...)
				} else {
					all[name] = append(all[name], example)
				}
			}
			add(member)
		}
	}
	for _, o := range document() {
		if o.body != nil {
			add(o.body)
		}
	}
	return all
})

// plausible returns values for a member, the simplest first. Most are values of the account.
func (v *values) plausible(name string) []string {
	mark := v.of.mark
	switch name {
	case "name":
		return v.names()
	case "plan", "tier":
		return append([]string{"free"}, exampleTexts("plan")...)
	case "repo":
		return []string{"acme/" + mark, "octo/web"}
	case "branch":
		return append(exampleTexts(name), "feature/"+mark)
	case "env name":
		return []string{"KEY", "NEXT_PUBLIC_AUTH_URL", "PORT"}
	case "env value":
		return []string{mark + " value", ""}
	case "tags":
		return append([]string{mark}, exampleTexts(name)...)
	case "site_url", "redirect_urls", "url":
		return []string{"https://" + mark + ".example.com", "https://" + mark + ".example.com/**"}
	case "secret", "company", "address", "vat_id":
		return []string{mark + " " + name}
	case "sql":
		return append(exampleTexts(name), "select broken")
	case "confirm":
		return []string{v.path["id"]}
	case "database":
		databases := append([]string{"main"}, v.of.databasesOf(v.path["id"])...)
		for _, e := range v.of.service.Extensions(v.path["id"]) {
			if e.Name == v.path["name"] {
				databases = append(databases, e.Database, e.Database)
			}
		}
		return databases
	case "engine":
		return []string{"postgres", "redis", "auth", "couchdb", "nats", "apps"}
	case "backup_id":
		return v.of.backupsOf(v.path["id"])
	case "cursor":
		return v.of.cursors
	}
	return exampleTexts(name)
}

// exampleTexts returns the examples of a member that are texts.
func exampleTexts(name string) []string {
	var texts []string
	for _, example := range examples()[name] {
		if text, ok := example.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// names returns names for the kind of object of the operation.
func (v *values) names() []string {
	mark := v.of.mark
	switch {
	case strings.Contains(v.operation.Path, "/apps"):
		return []string{mark + "-web", mark + "-api", mark + "-job"}
	case strings.Contains(v.operation.Path, "/databases"):
		return []string{mark + "_stock", mark + "_log"}
	}
	return []string{mark + " shop", mark + " & <b>son</b>"}
}
