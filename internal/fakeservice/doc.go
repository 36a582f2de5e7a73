// Package fakeservice is the hosting service as a stateful fake, in memory.
//
// It follows the service's contract and shares no code with the client, so
// that a mistake in the client cannot hide here. Every exchange is checked
// against the OpenAPI document of package apispec.
//
// A Service is an http.Handler. Beside the REST API it serves the checkout
// pages of paid plans, the public guide, and control routes under /_fake/ that
// are answered to this machine alone. Tests drive it from Go: they hold, fail
// and finish jobs, inject faults, edit the state behind the client's back and
// read the log of requests.
//
// How a request travels: service.go routes it, api.go checks, logs and answers
// it, routes.go names its handler, and the handler works on the state while the
// store is locked. Handlers return a response value and write nothing.
package fakeservice
