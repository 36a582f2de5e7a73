package apispec

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/go-json-experiment/json/jsontext"
)

// Request checks a request against the document. The complete body is passed separately,
// so that the caller can still read r.Body. r is not changed. r.URL.Path includes
// /api/v1.
//
// A request violates the document if its path, its method or one of its query parameters
// is not in the document, or if it has no bearer token. Its body must have the described
// shape. A body that is not described is a violation, and so is one that JSON parsers may
// interpret differently.
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

// checkJSON rejects a body with data after its value, with a duplicate member of an
// object, or with a string that is not UTF-8. The filter reads one value, and the last of
// two members. Another parser may read a different one.
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

// Response checks the answer to a request against the document. A status that the
// operation does not list is a violation, and so is a body that is not described.
func (v *Validator) Response(r *http.Request, status int, header http.Header, body []byte) error {
	input, err := v.input(r, nil)
	if err != nil {
		return err
	}
	// The filter ignores some statuses, so the list is checked here.
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

// input finds the operation of a request. It prepares a copy of the request, because the
// filter consumes the body.
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

			SchemaValidationOptions: []openapi3.SchemaValidationOption{uris},
		},
	}, nil
}

// uris makes the validator check the format uri, which it ignores by default.
var uris = openapi3.WithStringFormatValidator("uri", openapi3.NewCallbackValidator(func(text string) error {
	if u, err := url.Parse(text); err != nil || !u.IsAbs() {
		return errors.New("not an absolute URL")
	}
	return nil
}))

// checkQuery rejects parameters that the document does not name. The filter ignores them,
// so a misspelt parameter would silently have no effect.
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

// requireBearer checks that a key is sent, but not whether it is valid.
func requireBearer(_ context.Context, input *openapi3filter.AuthenticationInput) error {
	value := input.RequestValidationInput.Request.Header.Get("Authorization")
	if scheme, token, _ := strings.Cut(value, " "); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return errors.New("the request has no bearer token")
	}
	return nil
}
