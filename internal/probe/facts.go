package probe

import (
	"cmp"
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
	if elements[1] == "schemas" {
		return strings.ReplaceAll(strings.Join(elements[2:], "."), ".properties.", ".")
	}
	return strings.TrimSuffix(elements[1], "s") + " " + elements[2]
}

// says returns what the document says about a settled place, or why it was settled.
func (d document) says(place string) string {
	settled := d.at(place)
	return cmp.Or(text(settled["description"]), text(settled["summary"]), text(settled["x-settled-reason"]))
}
