// Package apispec contains the description of the service's REST API and checks exchanges
// against it.
//
// The document is the only link between the client and the fake service: neither imports
// the other, and the exchanges of both are checked against it. It is strict, so a field
// that one side invents is a violation.
package apispec

import (
	"context"
	_ "embed"
	"fmt"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed openapi.yaml
var source []byte

// Validator checks requests and answers against the document. It is safe for concurrent
// use.
type Validator struct {
	document *openapi3.T
	router   routers.Router
}

// New returns a validator. The document is parsed once for the whole process, so each
// test can have its own validator at almost no cost.
func New() (*Validator, error) {
	return shared()
}

// parsed returns the document, which is parsed once for the whole process and never
// changed.
var parsed = sync.OnceValues(load)

var shared = sync.OnceValues(func() (*Validator, error) {
	doc, err := parsed()
	if err != nil {
		return nil, err
	}
	// For a 3.1 document the filter compiles a JSON Schema for every exchange, which takes
	// longer than the exchange itself. Its own validator knows every keyword that this
	// document uses, including type arrays (a test checks this). So a copy is presented as
	// 3.0.
	presented := *doc
	presented.OpenAPI = "3.0.3"
	router, err := gorillamux.NewRouter(&presented)
	if err != nil {
		return nil, fmt.Errorf("build the router of the API document: %w", err)
	}
	return &Validator{document: &presented, router: router}, nil
})

// load parses the document and validates it as OpenAPI. The loader follows no external
// references, so nothing is read from disk or network.
func load() (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(document())
	if err != nil {
		return nil, fmt.Errorf("parse the API document: %w", err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("validate the API document: %w", err)
	}
	return doc, nil
}
