package properties

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/portal"
)

// operation is an operation of the document, with the schemas for its random requests.
type operation struct {
	apispec.Operation
	// body is the schema of the request's body, or nil if there is none.
	body         *openapi3.Schema
	bodyRequired bool
	// query has the parameters of the query.
	query []*openapi3.Parameter
	// success is the status of a successful request.
	success int
	// tools and pages are the same operation in the other interfaces.
	tools, pages []string
}

// mutates reports whether the operation is meant to change something.
func (o *operation) mutates() bool { return o.Method != http.MethodGet }

// has reports whether the document lists a status for the operation.
func (o *operation) has(status int) bool { return slices.Contains(o.Statuses, status) }

// document returns the operations of the document, in order of their paths.
var document = sync.OnceValue(func() []*operation {
	listed, err := apispec.Operations()
	if err != nil {
		panic(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(apispec.Document())
	if err != nil {
		panic(err)
	}
	var all []*operation
	for _, one := range listed {
		path := doc.Paths.Find(one.Path)
		described := path.GetOperation(one.Method)
		o := &operation{Operation: one, success: one.Statuses[0]}
		for _, parameter := range slices.Concat(path.Parameters, described.Parameters) {
			if parameter.Value.In == openapi3.ParameterInQuery {
				o.query = append(o.query, parameter.Value)
			}
		}
		if described.RequestBody != nil {
			o.bodyRequired = described.RequestBody.Value.Required
			o.body = described.RequestBody.Value.Content.Get("application/json").Schema.Value
		}
		for _, same := range operations.All {
			if slices.Contains(same.REST, one.String()) {
				o.tools, o.pages = same.Tools(), portal.Places(one.String())
			}
		}
		all = append(all, o)
	}
	return all
})

// operationOf returns the operation of a method and path.
func operationOf(name string) *operation {
	for _, o := range document() {
		if o.String() == name {
			return o
		}
	}
	panic("the document has no " + name)
}

// parameters returns the names of the parameters of a path, in order.
func parameters(path string) []string {
	var names []string
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// propertyNames returns the names of a schema's properties, in order.
func propertyNames(s *openapi3.Schema) []string {
	return slices.Sorted(maps.Keys(s.Properties))
}

// takesNull reports whether null fits a schema.
func takesNull(s *openapi3.Schema) bool { return s.Type.Includes(openapi3.TypeNull) }

// typeOf returns the type of a schema, other than null.
func typeOf(s *openapi3.Schema) string {
	for _, one := range s.Type.Slice() {
		if one != openapi3.TypeNull {
			return one
		}
	}
	return openapi3.TypeNull
}
