package apispec

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/go-json-experiment/json/jsontext"
)

// Request checks a request against the document. The body is given apart and
// whole, so that the caller's own reading of r.Body is not disturbed; r itself
// is not changed. r.URL.Path includes /api/v1.
//
// A request is in violation if its path, its method or one of its query
// parameters is not in the document, if it carries no bearer token, if it has a
// body where none is described, if its body is not of the described shape, or if
// readers of JSON may differ about what the body says.
func (v *Validator) Request(r *http.Request, body []byte) error {
	input, err := v.input(r, body)
	if err != nil {
		return err
	}
	if err := checkQuery(r, input.Route); err != nil {
		return violation(r, "request", err)
	}
	if input.Route.Operation.RequestBody == nil && len(body) > 0 {
		return violation(r, "request", errors.New("the operation takes no body"))
	}
	if err := openapi3filter.ValidateRequest(r.Context(), input); err != nil {
		return violation(r, "request", err)
	}
	if err := checkJSON(body); err != nil {
		return violation(r, "request", err)
	}
	return nil
}

// checkJSON refuses a body with something after its value, with a member that an object
// has twice, and with a text that is not UTF-8. The filter reads one value, and the last of
// two members. Whoever carries the request out may read another one.
func checkJSON(body []byte) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(body))
	err := decoder.SkipValue()
	if err == nil {
		if _, err = decoder.ReadToken(); err == nil {
			return errors.New("the body has something after its value")
		}
	}
	if wrong := (*jsontext.SyntacticError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("at %s: %w", cmp.Or(string(wrong.JSONPointer), "/"), wrong.Err)
	}
	return nil
}

// Response checks the answer to a request against the document. A status that
// the operation does not list is a violation, as is a body where none is
// described.
func (v *Validator) Response(r *http.Request, status int, header http.Header, body []byte) error {
	input, err := v.input(r, nil)
	if err != nil {
		return err
	}
	// The filter lets some statuses pass unseen, so the list is consulted here.
	described := input.Route.Operation.Responses.Status(status)
	if described == nil {
		return violation(r, "answer", fmt.Errorf("status %d is not documented", status))
	}
	if len(described.Value.Content) == 0 && len(body) > 0 {
		return violation(r, "answer", fmt.Errorf("status %d has no body in the document", status))
	}
	err = openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 status,
		Header:                 header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                input.Options,
	})
	if err != nil {
		return violation(r, fmt.Sprintf("answer %d", status), err)
	}
	return nil
}

// input finds the operation of a request and prepares a copy of it, as the
// filter consumes the body that it is given.
func (v *Validator) input(r *http.Request, body []byte) (*openapi3filter.RequestValidationInput, error) {
	copied := r.Clone(r.Context())
	copied.Body = io.NopCloser(bytes.NewReader(body))
	copied.ContentLength = int64(len(body))
	copied.GetBody = nil

	route, params, err := v.router.FindRoute(copied)
	if err != nil {
		return nil, violation(r, "request", err)
	}
	return &openapi3filter.RequestValidationInput{
		Request:    copied,
		PathParams: params,
		Route:      route,
		Options: &openapi3filter.Options{
			AuthenticationFunc:    requireBearer,
			IncludeResponseStatus: true,
			SkipSettingDefaults:   true,
		},
	}, nil
}

// checkQuery refuses parameters that the document does not name. The filter
// ignores them, and a misspelt parameter would then change nothing in silence.
func checkQuery(r *http.Request, route *routers.Route) error {
	for name := range r.URL.Query() {
		known := route.Operation.Parameters.GetByInAndName("query", name) != nil ||
			route.PathItem.Parameters.GetByInAndName("query", name) != nil
		if !known {
			return fmt.Errorf("query parameter %q is not documented", name)
		}
	}
	return nil
}

// requireBearer checks that a key is sent, not whether it is a good one.
func requireBearer(_ context.Context, input *openapi3filter.AuthenticationInput) error {
	value := input.RequestValidationInput.Request.Header.Get("Authorization")
	if scheme, token, _ := strings.Cut(value, " "); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return errors.New("the request has no bearer token")
	}
	return nil
}
