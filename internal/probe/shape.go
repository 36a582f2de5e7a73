package probe

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// elementsLooked is the maximum number of elements of a list that are compared with the
// document.
const elementsLooked = 100

// shape compares a JSON value with the schema at a place and records the evidence for
// settled facts. It returns the problem of the value itself, for the caller to record, or
// "" if there is none. from describes where the value was seen. The texts never contain
// values, which may be secrets. They contain only types, field names, and single words of
// enums in the document.
func (d document) shape(e *findings, from, place string, value any) string {
	at, schema := d.follow(place)
	wrong := wrongWith(schema, value)
	if values := list(schema["enum"]); listed(values, value) {
		e.found(rulesAt+"words of statuses", slices.Contains(values, value), fmt.Sprintf("%s is %q (%s)", name(at), value, from))
	}
	if settled(schema) && at != place {
		// The problem is evidence for this schema, not for the caller's.
		e.found(at, wrong == "", wrong+" ("+from+")")
		wrong = ""
	}
	if wrong != "" {
		return wrong
	}
	switch value := value.(type) {
	case node:
		d.fields(e, from, at, value)
	case []any:
		for i, element := range value {
			if i == elementsLooked {
				break
			}
			if inner := d.shape(e, from, join(at, "items"), element); inner != "" {
				return "one of its elements " + inner
			}
		}
	}
	return ""
}

// fields compares an object's fields with those of its schema.
func (d document) fields(e *findings, from, place string, value node) {
	schema := d.at(place)
	properties := object(schema["properties"])
	if properties == nil {
		return
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if properties[name] == nil && isWord(name) {
			unknown = append(unknown, name)
		}
	}
	hint := ""
	if len(unknown) > 0 {
		hint = ", but there is " + strings.Join(unknown, ", ")
		e.note(fmt.Sprintf("%s has fields that the document lacks: %s (%s)", name(place), strings.Join(unknown, ", "), from))
	}
	required := list(schema["required"])
	for _, property := range slices.Sorted(maps.Keys(properties)) {
		inner := join(place, "properties", property)
		found, present := value[property]
		wrong := ""
		switch {
		case present:
			wrong = d.shape(e, from, inner, found)
		case slices.Contains(required, any(property)):
			wrong = "is missing" + hint
		default:
			continue
		}
		switch {
		case settled(d.at(inner)):
			e.found(inner, wrong == "", wrong+" ("+from+")")
		case wrong != "":
			e.note(fmt.Sprintf("%s %s (%s), although the service's own description shows it", name(inner), wrong, from))
		}
	}
}

// wrongWith describes what is wrong with a value itself. It returns "" if nothing is.
func wrongWith(schema node, value any) string {
	if kinds := kindSaid(schema); kinds != "" && !isOfKind(schema, value) {
		return "is " + kindOf(value) + ", not " + kinds
	}
	if values := list(schema["enum"]); len(values) > 0 && !listed(values, value) {
		word := "has a value"
		if written := text(value); isWord(written) {
			word = fmt.Sprintf("is %q", written)
		}
		return word + " that the document does not list"
	}
	written, isText := value.(string)
	if !isText {
		return ""
	}
	switch text(schema["format"]) {
	case "date-time":
		if _, err := time.Parse(time.RFC3339, written); err != nil {
			return "is no time as RFC 3339 has it"
		}
	case "uri":
		if u, err := url.Parse(written); err != nil || !u.IsAbs() {
			return "is no absolute URL"
		}
	}
	if pattern := text(schema["pattern"]); pattern != "" && !regexp.MustCompile(pattern).MatchString(written) {
		return "does not match " + pattern
	}
	return ""
}

// isOfKind reports whether a value has one of the types of a schema.
func isOfKind(schema node, value any) bool {
	kinds := list(schema["type"])
	if one := text(schema["type"]); one != "" {
		kinds = []any{one}
	}
	number, isNumber := value.(float64)
	return slices.ContainsFunc(kinds, func(kind any) bool {
		switch kind {
		case "object":
			return object(value) != nil
		case "array":
			_, is := value.([]any)
			return is
		case "string":
			_, is := value.(string)
			return is
		case "boolean":
			_, is := value.(bool)
			return is
		case "number":
			return isNumber
		case "integer":
			return isNumber && number == math.Trunc(number)
		}
		return kind == "null" && value == nil
	})
}

// kindOf describes the type of a value.
func kindOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case node:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case float64:
		if value == math.Trunc(value) {
			return "an integer"
		}
	}
	return "a number"
}

var word = regexp.MustCompile(`^[A-Za-z][A-Za-z_ -]{0,39}$`)

// isWord reports whether a text looks like a name or a status. Secrets do not.
func isWord(written string) bool { return word.MatchString(written) }
