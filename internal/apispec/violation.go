package apispec

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// Violation describes where an exchange and the document differ. Its text names the place
// but never the value, because bodies contain passwords and keys.
//
// It is for test logs and the fake's answers. No code depends on its text.
type Violation struct {
	// Method and Path come from the request.
	Method, Path string
	// Part is "request" or "answer" with its status.
	Part string
	// Reason is a single line.
	Reason string
}

// Error returns the violation as one line.
func (v *Violation) Error() string {
	return fmt.Sprintf("%s %s: %s: %s", v.Method, v.Path, v.Part, v.Reason)
}

func violation(r *http.Request, part string, err error) error {
	return &Violation{Method: r.Method, Path: r.URL.Path, Part: part, Reason: reason(err)}
}

// reason condenses the filter's errors, which quote whole schemas and values, to the
// place and the violated rule.
func reason(err error) string {
	var prefix string
	if request := (*openapi3filter.RequestError)(nil); errors.As(err, &request) {
		if request.Parameter != nil {
			prefix = fmt.Sprintf("parameter %q: ", request.Parameter.Name)
		} else if request.Err == nil {
			return request.Reason
		}
	}
	if response := (*openapi3filter.ResponseError)(nil); errors.As(err, &response) && response.Err == nil {
		return response.Reason
	}
	if security := (*openapi3filter.SecurityRequirementsError)(nil); errors.As(err, &security) && len(security.Errors) > 0 {
		return security.Errors[0].Error()
	}
	if schema := (*openapi3.SchemaError)(nil); errors.As(err, &schema) {
		return prefix + schemaReason(schema)
	}
	return prefix + err.Error()
}

// schemaReason returns the path into the body and the rule. If a field is missing or
// unknown, the filter decides where the path ends, and the reason names the field.
func schemaReason(err *openapi3.SchemaError) string {
	return fmt.Sprintf("at /%s: %s", strings.Join(err.JSONPointer(), "/"), err.Reason)
}
