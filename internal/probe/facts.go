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
	places := map[string]bool{}
	d.reach("#", d.tree, places)
	var all []Fact
	for _, place := range slices.Sorted(maps.Keys(places)) {
		if settled(d.at(place)) {
			all = append(all, Fact{Place: place, Name: name(place), Says: d.says(place), How: how(place, users[place])})
		}
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

// says describes a settled place in words.
func (d document) says(place string) string {
	_, described := d.follow(place)
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
	add(text(d.at(place)["summary"]))
	add(text(d.at(place)["description"]))
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
		seen := map[string]bool{}
		for _, place := range append(op.parameters(), op.place) {
			d.reach(place, d.at(place), seen)
		}
		for place := range seen {
			users[place] = append(users[place], op.name())
		}
	}
	return users
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
