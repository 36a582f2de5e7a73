package probe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
)

// node is an object of the OpenAPI document.
type node = map[string]any

// document is the OpenAPI document, to look up what it says of an answer.
type document struct{ tree node }

// mark is a place of the document that is settled.
type mark struct {
	// place is a JSON pointer, such as #/components/schemas/Job/properties/status.
	place string
	node  node
}

func openDocument() (document, error) {
	tree, err := apispec.Tree()
	return document{tree}, err
}

// marks are all that is settled, sorted by place.
func (d document) marks() []mark {
	var all []mark
	var walk func(place string, value any)
	walk = func(place string, value any) {
		switch value := value.(type) {
		case node:
			if settled(value) {
				all = append(all, mark{place, value})
			}
			for name, inner := range value {
				walk(join(place, name), inner)
			}
		case []any:
			for i, inner := range value {
				walk(join(place, fmt.Sprint(i)), inner)
			}
		}
	}
	walk("#", d.tree)
	slices.SortFunc(all, func(a, b mark) int { return cmp.Compare(a.place, b.place) })
	return all
}

func settled(n node) bool { return n["x-settled"] == true }

// join makes a JSON pointer longer.
func join(place string, names ...string) string {
	for _, name := range names {
		place += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	return place
}

func unescape(element string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(element)
}

// at is the object at a place, nil where there is none.
func (d document) at(place string) node {
	found := d.tree
	for _, element := range strings.Split(place, "/")[1:] {
		found = object(found[unescape(element)])
	}
	return found
}

// follow follows the reference that a place may be.
func (d document) follow(place string) (string, node) {
	found := d.at(place)
	if target, isReference := found["$ref"].(string); isReference {
		return d.follow(target)
	}
	return place, found
}

// operation is one that the document describes.
type operation struct {
	document
	place  string // of the operation
	path   string // of what its path has
	method string
	url    string // the path with its {parameters}
}

func (d document) operation(method, url string) (operation, bool) {
	path := join("#", "paths", url)
	op := operation{d, join(path, strings.ToLower(method)), path, method, url}
	return op, d.at(op.place) != nil
}

func (o operation) name() string { return o.method + " " + o.url }

// operations are all of them, sorted.
func (d document) operations() []operation {
	var all []operation
	paths := object(d.tree["paths"])
	for _, url := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			if op, known := d.operation(method, url); known {
				all = append(all, op)
			}
		}
	}
	return all
}

// parameters are the places of the operation's parameters and those of its path.
func (o operation) parameters() []string {
	var all []string
	for _, owner := range []string{o.path, o.place} {
		for _, one := range list(o.at(owner)["parameters"]) {
			if target, isReference := object(one)["$ref"].(string); isReference {
				all = append(all, target)
			}
		}
	}
	return all
}

// response is the place of what the operation answers with a status.
func (o operation) response(status int) (string, bool) {
	place := join(o.place, "responses", fmt.Sprint(status))
	if o.at(place) == nil {
		return "", false
	}
	place, _ = o.follow(place)
	return place, true
}

// body is the place of the schema of a request or a response, "" where it is not
// JSON.
func (d document) body(owner string) string {
	place := join(owner, "content", "application/json", "schema")
	if d.at(place) == nil {
		return ""
	}
	return place
}

func (o operation) request() string { return o.body(join(o.place, "requestBody")) }

func object(value any) node {
	made, _ := value.(node)
	return made
}

func list(value any) []any {
	made, _ := value.([]any)
	return made
}

func text(value any) string {
	made, _ := value.(string)
	return made
}
