// Package fakeservice is a stateful fake of the hosting service, in memory.
//
// It follows the service's contract and shares no code with the client, so that a mistake
// in the client cannot hide here. Every exchange is checked against the OpenAPI document
// of package apispec.
//
// A Service is an http.Handler. In addition to the REST API, it serves the same
// operations as tools of an MCP server and as pages of the portal. It also serves the
// checkout pages of paid plans, the public guide, the authorization server for MCP, and
// control routes under /_fake/. Tests use it from Go: they hold, fail and finish jobs,
// inject faults, edit the state unnoticed by the client, and read the log of requests.
//
// A request to the API passes through these packages: service.go passes it to the
// gateway, which logs it (package requestlog) and applies the faults of tests (faults.go).
// Package rest then checks the request and answers it with an operation of package
// operations, which core implements. Requests to the MCP server and the portal pass through
// the gateway as well, but not into the log. The control routes, sign-in, the authorization of
// agents, the portal's pages below /portal/fake and the health check do not pass through it.
//
// A Service needs no socket. With gateway.Transport, a client calls it in memory. This
// also works in a bubble of testing/synctest, where the fake's clock and the gateway use
// the time of the bubble:
//
//	client := &http.Client{Transport: gateway.Transport{Handler: service}}
//
// ServeHTTP closes a connection by a panic with http.ErrAbortHandler, before the answer
// has begun or in the middle of it. The Transport converts the panic to an error for its
// client, like the connection to a server. Any other caller of ServeHTTP must recover the
// panic.
package fakeservice
