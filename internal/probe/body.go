package probe

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// judgeBody compares the body of an answer with the schema at a place and records the
// evidence for settled facts. The texts never contain values, which may be secrets. They
// contain only types, field names, and single words where the document has an enum.
func (p *probe) judgeBody(x *exchange, schema string) {
	d, e := p.document, p.findings
	// A place that differs as well counts as different.
	d.shown(schema, x.json, func(place string, value any) {
		e.holds(place)
		if slices.Contains(list(d.at(place)["enum"]), value) {
			e.holds(wordsOfStatuses)
		}
	})
	from := " (" + x.said() + ")"
	for _, found := range d.validator.Differences(x.method, x.url, x.status, x.json) {
		value, field := d.find(schema, found.JSONPointer())
		at, described := d.follow(value)
		wrong := wrongWith(found)
		if field != "" && value != field {
			wrong = "one of its elements " + wrong
		}
		switch {
		case found.SchemaField == "properties":
			if unknown := unknownFields(found); unknown != "" {
				e.note(name(at) + " has fields that the document lacks: " + unknown + from)
			}
		case found.SchemaField == "enum" && listed(list(described["enum"]), found.Value):
			e.differsHow(wordsOfStatuses, fmt.Sprintf("%s is %q%s", name(at), found.Value, from))
		case field == "":
			e.note("the answer to " + x.said() + " " + wrong)
		case settled(described) && found.SchemaField != "required":
			e.differsHow(at, wrong+from)
		case settled(d.at(field)):
			e.differsHow(field, wrong+from)
		default:
			e.note(name(field) + " " + wrong + from + ", although the service's own description shows it")
		}
	}
}

// shown calls seen for each settled place that a value shows. The validator reports only
// what differs, and not which parts of the document it used. So the probe itself follows
// the value through the document. It checks nothing.
func (d document) shown(place string, value any, seen func(place string, value any)) {
	at, _ := d.follow(place)
	for _, one := range []string{place, at} {
		if settled(d.at(one)) {
			seen(one, value)
		}
	}
	for field, inner := range object(value) {
		d.shown(join(at, "properties", field), inner, seen)
	}
	for _, inner := range list(value) {
		d.shown(join(at, "items"), inner, seen)
	}
}

// find follows a pointer into the body of an answer, because the validator does not name
// the place in the document. It returns the place of the value's schema and the place of
// the field that has the value, itself or as an element. field is "" if the value is the
// whole body.
func (d document) find(place string, pointer []string) (value, field string) {
	for _, element := range pointer {
		at, schema := d.follow(place)
		switch {
		case schema["items"] != nil:
			place = join(at, "items")
		case object(schema["properties"])[element] != nil:
			place = join(at, "properties", element)
			field = place
		default:
			place = join(at, "additionalProperties")
		}
	}
	return place, field
}

// wrongWith describes a difference from a schema, without the value unless that is a word in
// place of those that the document lists.
func wrongWith(found *openapi3.SchemaError) string {
	written, isText := found.Value.(string)
	if found.SchemaField == "enum" && isText && isWord(written) {
		return fmt.Sprintf("is %q that the document does not list", written)
	}
	if found.SchemaField == "format" {
		return "does not have the format " + found.Schema.Format
	}
	return "is not valid: " + found.Reason
}

// unknownFields returns the fields of an object that its schema lacks.
func unknownFields(found *openapi3.SchemaError) string {
	var unknown []string
	for name := range object(found.Value) {
		if found.Schema.Properties[name] == nil && isWord(name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return strings.Join(unknown, ", ")
}

var word = regexp.MustCompile(`^[A-Za-z][A-Za-z_ -]{0,39}$`)

// isWord reports whether a text looks like a name or a status. Secrets do not.
func isWord(written string) bool { return word.MatchString(written) }
