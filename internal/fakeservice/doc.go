// Package fakeservice is the hosting service as a stateful fake, in memory.
//
// It follows the service's contract and shares no code with the client, so
// that a mistake in the client cannot hide here. Every exchange is checked
// against the OpenAPI document of package apispec.
//
// A Service is an http.Handler. Beside the REST API it serves the same operations as
// tools of an MCP server and as pages of the portal, with the checkout pages of paid plans
// and the public guide, and control routes under /_fake/ that are answered to this machine
// alone. Tests drive it from Go: they hold, fail and finish jobs, inject faults, edit the
// state behind the client's back and read the log of requests.
//
// How a request travels: service.go gives it to the gateway, which logs it (package
// traffic) and does to it what tests asked for (faults.go); rest checks and answers what
// the gateway passes on, by an operation of package operations, which core carries out.
// The MCP server, the portal's pages and the control routes stand beside the gateway.
//
// A Service needs no socket. With gateway.Transport a client talks to it in
// memory, in a bubble of testing/synctest too, where the fake's clock and all
// that the gateway does go by the bubble's time:
//
//	client := &http.Client{Transport: gateway.Transport{Handler: service}}
//
// A connection that is closed shows in ServeHTTP as a panic with
// http.ErrAbortHandler, before the answer has begun or in the middle of it. The
// Transport makes an error of it for its client, as a server's connection does;
// who calls ServeHTTP by other means has to recover it.
package fakeservice
