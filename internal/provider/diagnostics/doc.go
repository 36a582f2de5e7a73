// Package diagnostics has the texts of errors: the request that failed, the answer of the
// service and what to do next.
package diagnostics
