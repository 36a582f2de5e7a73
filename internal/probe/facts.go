package probe

import (
	"maps"
	"slices"
	"strings"
)

// Fact is a statement that the OpenAPI document marks as settled.
type Fact struct {
	// Place is the location in the document, as a JSON pointer.
	Place string `json:"place"`
	// Name is a short form of Place, such as Job.status or GET /webhooks.
	Name string `json:"name"`
	// Says is the fact itself. How describes how it is checked.
	Says string `json:"says"`
	How  string `json:"how"`
}

// facts returns all facts that the document marks as settled.
func (d document) facts() []Fact {
	users := d.users()
	var all []Fact
	for _, m := range d.marks() {
		all = append(all, Fact{Place: m.place, Name: name(m.place), Says: d.says(m), How: how(m.place, users[m.place])})
	}
	return all
}

// name returns the short name of a place.
func name(place string) string {
	elements := strings.Split(place, "/")[1:]
	if elements[0] == "paths" {
		return strings.ToUpper(elements[2]) + " " + unescape(elements[1])
	}
	if elements[0] == "x-rules" {
		return elements[1]
	}
	kind, rest := elements[1], elements[2:]
	switch kind {
	case "schemas":
		return strings.ReplaceAll(strings.Join(rest, "."), ".properties.", ".")
	default:
		return strings.TrimSuffix(kind, "s") + " " + rest[0]
	}
}

// says describes a mark in words.
func (d document) says(m mark) string {
	described := m.node
	if m.node["$ref"] != nil {
		_, described = d.follow(m.place)
	}
	var words []string
	add := func(some string) {
		if some != "" {
			words = append(words, some)
		}
	}
	add(kindSaid(described))
	var values []string
	for _, value := range list(described["enum"]) {
		values = append(values, text(value))
	}
	if len(values) > 0 {
		add("one of " + strings.Join(values, ", "))
	}
	add(text(m.node["summary"]))
	add(text(m.node["description"]))
	return strings.Join(words, "; ")
}

// kindSaid describes the type that a schema requires.
func kindSaid(schema node) string {
	var kinds []string
	if one := text(schema["type"]); one != "" {
		kinds = []string{one}
	}
	for _, one := range list(schema["type"]) {
		kinds = append(kinds, text(one))
	}
	said := strings.Join(kinds, " or ")
	if format := text(schema["format"]); said != "" && format != "" {
		said += " (" + format + ")"
	}
	return said
}

// users returns, for each place, the operations that use it: as a field of a request or
// an answer, a parameter or a response.
func (d document) users() map[string][]string {
	users := map[string][]string{}
	for _, op := range d.operations() {
		seen := map[string]bool{op.place: true}
		for _, place := range op.parameters() {
			seen[place] = true
		}
		d.reach(op.request(), seen)
		for status := range object(op.at(op.place)["responses"]) {
			place, _ := op.follow(join(op.place, "responses", status))
			seen[place] = true
			for header := range object(op.at(place)["headers"]) {
				target, _ := op.follow(join(place, "headers", header))
				seen[target] = true
			}
			d.reach(op.body(place), seen)
		}
		for place := range seen {
			users[place] = append(users[place], op.name())
		}
	}
	return users
}

// reach adds a schema and everything that it contains.
func (d document) reach(place string, seen map[string]bool) {
	if place == "" {
		return
	}
	seen[place] = true
	place, schema := d.follow(place)
	seen[place] = true
	for _, property := range slices.Sorted(maps.Keys(object(schema["properties"]))) {
		if inner := join(place, "properties", property); !seen[inner] {
			d.reach(inner, seen)
		}
	}
	if object(schema["items"]) != nil {
		d.reach(join(place, "items"), seen)
	}
}

// how describes which operations check a fact. It names only the first two, because many
// facts are used by all operations.
func how(place string, users []string) string {
	if reason, beyond := beyond[place]; beyond {
		return "not checked: " + reason
	}
	if rule, is := strings.CutPrefix(place, rulesAt); is {
		return rules[rule]
	}
	if len(users) > 2 {
		return users[0] + ", " + users[1] + " and others"
	}
	return strings.Join(users, ", ")
}
