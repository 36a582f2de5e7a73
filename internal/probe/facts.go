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
	// Says is the fact itself.
	Says string `json:"says"`
}

// facts returns all facts that the document marks as settled.
func (d document) facts() []Fact {
	places := map[string]bool{}
	d.reach("#", d.tree, places)
	var all []Fact
	for _, place := range slices.Sorted(maps.Keys(places)) {
		if settled(d.at(place)) {
			all = append(all, Fact{Place: place, Name: name(place), Says: d.says(place)})
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
