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
	// Path is relative to the base address, with parameters in braces.
	Path string
	// Statuses are the status codes that the document lists, in ascending order.
	Statuses []int
}

// String returns the operation's method and path.
func (o Operation) String() string { return o.Method + " " + o.Path }

// Operations returns the operations of the document, sorted by path.
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
					continue // "default" or a range is not a single status
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

// Operation returns the method and path, as written in the document, of the operation
// that a request calls. It returns "" if there is none. r.URL.Path includes /api/v1.
func (v *Validator) Operation(r *http.Request) string {
	route, _, err := v.router.FindRoute(r)
	if err != nil {
		return ""
	}
	return route.Method + " " + route.Path
}
