package apispec

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
)

// Operation is one operation of the document.
type Operation struct {
	Method string
	// Path is below the base address, with parameters in braces.
	Path string
	// Statuses are the answers that the document lists, in order.
	Statuses []int
}

// String is the operation's method and path.
func (o Operation) String() string { return o.Method + " " + o.Path }

// Operations are those of the document, in order of their paths.
func Operations() ([]Operation, error) {
	doc, err := parsed()
	if err != nil {
		return nil, err
	}
	var operations []Operation
	for path, item := range doc.Paths.Map() {
		for method, described := range item.Operations() {
			o := Operation{Method: method, Path: path}
			for _, status := range slices.Sorted(maps.Keys(described.Responses.Map())) {
				number, err := strconv.Atoi(status)
				if err != nil {
					continue // "default" or a range is no one status
				}
				o.Statuses = append(o.Statuses, number)
			}
			operations = append(operations, o)
		}
	}
	slices.SortFunc(operations, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return operations, nil
}

// Operation is the method and the path, as the document writes it, of the operation
// that a request is for; "" where there is none. r.URL.Path includes /api/v1.
func (v *Validator) Operation(r *http.Request) string {
	route, _, err := v.router.FindRoute(r)
	if err != nil {
		return ""
	}
	return route.Method + " " + route.Path
}
