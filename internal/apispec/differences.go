package apispec

import (
	"errors"

	"github.com/getkin/kin-openapi/openapi3"
)

// Differences compares the decoded body of an answer with its schema. Unlike Response, it
// returns every difference, each with its place in the body. The operation must have an
// answer in JSON with the status.
func (v *Validator) Differences(method, path string, status int, body any) []*openapi3.SchemaError {
	described := v.document.Paths.Value(path).GetOperation(method).Responses.Status(status).Value
	err := described.Content["application/json"].Schema.Value.VisitJSON(body, uris, openapi3.MultiErrors())
	all := openapi3.MultiError{err}
	errors.As(err, &all)
	var differences []*openapi3.SchemaError
	for _, one := range all {
		if difference := (*openapi3.SchemaError)(nil); errors.As(one, &difference) {
			differences = append(differences, difference)
		}
	}
	return differences
}
