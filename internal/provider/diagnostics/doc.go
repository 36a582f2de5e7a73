// Package diagnostics has the texts of errors: what was tried, what the service answered
// and what to do next.
package diagnostics
