package probe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
)

// node is an object of the OpenAPI document.
type node = map[string]any

// document is the OpenAPI document, used to look up the description of an answer. A place
// of it is a JSON pointer, such as #/components/schemas/Job/properties/status.
type document struct {
	tree      node
	validator *apispec.Validator
}

func openDocument() (document, error) {
	tree, err := apispec.Tree()
	if err != nil {
		return document{}, err
	}
	validator, err := apispec.New()
	return document{tree, validator}, err
}

// reach adds the place of an object and every place in it, also through references, to
// seen.
func (d document) reach(place string, found node, seen map[string]bool) {
	if seen[place] {
		return
	}
	seen[place] = true
	if target := text(found["$ref"]); target != "" {
		d.reach(target, d.at(target), seen)
	}
	for name, inner := range found {
		if inner := object(inner); inner != nil {
			d.reach(join(place, name), inner, seen)
		}
	}
}

func settled(n node) bool { return n["x-settled"] == true }

// join appends elements to a JSON pointer.
func join(place string, names ...string) string {
	for _, name := range names {
		place += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	return place
}

func unescape(element string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(element)
}

// at returns the object at a place, or nil if there is none.
func (d document) at(place string) node {
	found := d.tree
	for _, element := range strings.Split(place, "/")[1:] {
		found = object(found[unescape(element)])
	}
	return found
}

// follow resolves references, starting at a place.
func (d document) follow(place string) (string, node) {
	found := d.at(place)
	if target, isReference := found["$ref"].(string); isReference {
		return d.follow(target)
	}
	return place, found
}

// operation is an operation of the document.
type operation struct {
	document
	place  string // of the operation
	path   string // of the operation's path item
	method string
	url    string // the path with its {parameters}
}

func (d document) operation(method, url string) (operation, bool) {
	path := join("#", "paths", url)
	op := operation{d, join(path, strings.ToLower(method)), path, method, url}
	return op, d.at(op.place) != nil
}

func (o operation) name() string { return o.method + " " + o.url }

// operations returns all operations, sorted.
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

// parameters returns the places of the parameters of the operation and of its path.
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

// response returns the place of the operation's response with a status.
func (o operation) response(status int) (string, bool) {
	place := join(o.place, "responses", fmt.Sprint(status))
	if o.at(place) == nil {
		return "", false
	}
	place, _ = o.follow(place)
	return place, true
}

// body returns the place of the schema of a request or a response, or "" if its body is
// not JSON.
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
